package dev.fairlead.work.job.service.spi;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds members of warm pools for submits of sessions. */
@FunctionalInterface
public interface WarmMembers {
  /** An installation without warm pools. */
  WarmMembers NONE = (project, wanted, taken, preview) -> Found.NOTHING;

  /**
   * The result of a search.
   *
   * @param transition turns a member into the wanted job, null if a new job is stored
   * @param missed reason why a session is stored as a new job, null in a project without a pool
   */
  record Found(@Nullable Transition transition, @Nullable String missed) {
    public static final Found NOTHING = new Found(null, null);
  }

  /**
   * Finds a member for the job and locks it until the open transaction ends. The caller stores the
   * transition in this transaction.
   *
   * @param wanted new job that is not stored
   * @param taken members that the open transaction has taken for other jobs
   * @param preview whether the submit is only checked, and does not count as a start
   */
  Found take(Project project, Job wanted, Set<JobId> taken, boolean preview);
}
