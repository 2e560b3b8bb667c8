package dev.fairlead.work.job.store;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobFilter.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list of jobs. It may have fewer jobs than requested, or none, although more follow: a
 * page checks a bounded number of jobs, and large jobs fill a page early.
 *
 * @param jobs in the order of the filter
 * @param next position after which the list continues, null at its end
 */
public record JobSlice(List<Job> jobs, @Nullable Cursor next) {
  /**
   * Text of the specs on a page of more than one job. For 500 jobs it could take half a gigabyte.
   */
  public static final int MOST_SPEC_BYTES = 2 << 20;

  public JobSlice {
    jobs = List.copyOf(jobs);
  }

  /**
   * The list is complete if fewer than the requested number were found.
   *
   * @param jobs the first of the found jobs, up to the page size
   */
  public static JobSlice of(List<Job> jobs, int found, int limit) {
    boolean ends = jobs.size() == found && found < limit;
    return new JobSlice(jobs, ends ? null : Cursor.of(jobs.getLast()));
  }
}
