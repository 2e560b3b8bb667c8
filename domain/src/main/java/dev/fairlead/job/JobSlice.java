package dev.fairlead.job;

import dev.fairlead.job.JobFilter.Mark;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list of jobs. It may hold fewer than were asked for, also none, while more follow:
 * where what is asked for is rare, only so many jobs are looked at at once.
 *
 * @param jobs in the order of the filter
 * @param next behind which the list goes on, null at its end
 */
public record JobSlice(List<Job> jobs, @Nullable Mark next) {
  public JobSlice {
    jobs = List.copyOf(jobs);
  }

  /** The list ends when fewer than asked for were found. */
  public static JobSlice whole(List<Job> jobs, int limit) {
    return new JobSlice(jobs, jobs.size() < limit ? null : Mark.of(jobs.getLast()));
  }
}
