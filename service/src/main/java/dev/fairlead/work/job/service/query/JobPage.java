package dev.fairlead.work.job.service.query;

import dev.fairlead.work.job.store.JobFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of jobs.
 *
 * @param next start of the next page, null at the end
 */
public record JobPage(List<JobView> jobs, JobFilter.@Nullable Cursor next) {
  public JobPage {
    jobs = List.copyOf(jobs);
  }
}
