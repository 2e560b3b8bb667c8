package dev.fairlead.data.transfer.service.spi;

import dev.fairlead.work.job.Job;

/** What the programs of transfers say of themselves. */
public interface TransferReports {
  /**
   * What the program of a job said last.
   *
   * @param done bytes it has handled, of {@code total}; both 0 when it said nothing
   * @param reason why it ended, empty when it did not say so
   */
  record Report(long done, long total, String reason) {
    public static final Report NONE = new Report(0, 0, "");
  }

  /** May wait for a cluster; {@link Report#NONE} when it does not answer. */
  Report of(Job job);
}
