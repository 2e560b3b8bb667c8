package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job.
 *
 * @param user submitter
 * @param spec as submitted or patched, shorthands expanded, defaults filled in
 * @param priority value of its class
 * @param run its own life; for an array, the sum of its elements'
 * @param array null for a job that is not an array
 * @param version rises with every change of the job, its elements and its attempts; one row guards
 *     all of them
 */
public record Job(
    JobId id,
    TenantId tenant,
    ProjectId project,
    QuotaNodeId queue,
    String name,
    String user,
    JobSpec spec,
    int priority,
    Instant createdAt,
    JobStatus run,
    @Nullable ArrayProgress array,
    long version) {
  public JobState state() {
    return run.state();
  }

  /**
   * The same job in the same version, for a reader that gets another spec of it. Never to be
   * stored.
   */
  public Job seenAs(JobSpec other) {
    return new Job(
        id, tenant, project, queue, name, user, other, priority, createdAt, run, array, version);
  }

  /** The next version of the job, under another spec of the same name and queue. */
  Job respecified(JobSpec newSpec) {
    int newPriority = newSpec.priorityClass().value();
    return new Job(
        id,
        tenant,
        project,
        queue,
        name,
        user,
        newSpec,
        newPriority,
        createdAt,
        run,
        array,
        version + 1);
  }

  /** The next version of the job. */
  public Job next(JobStatus newRun, @Nullable ArrayProgress newArray) {
    return new Job(
        id,
        tenant,
        project,
        queue,
        name,
        user,
        spec,
        priority,
        createdAt,
        newRun,
        newArray,
        version + 1);
  }
}
