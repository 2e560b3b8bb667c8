package dev.fairlead.data.transfer.service.spi;

import dev.fairlead.work.job.Job;

/** Reads the reports of transfer programs. */
public interface TransferReports {
  /**
   * The last report of a job's program.
   *
   * @param done handled bytes, of {@code total}. Both 0 without a report
   * @param reason reason of its end, empty if unknown
   */
  record Report(long done, long total, String reason) {
    public static final Report NONE = new Report(0, 0, "");
  }

  /** Reads the report. May wait for a cluster. {@link Report#NONE} without a response. */
  Report of(Job job);
}
