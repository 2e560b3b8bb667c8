package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WarmMember;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job.
 *
 * @param user submitter
 * @param spec as submitted or patched, shorthands expanded, defaults filled in
 * @param priority value of its class
 * @param run its state and attempts For an array, the sum of its elements'
 * @param array null for a job that is not an array
 * @param checks admission checks that were requested for its next attempt or its last one
 * @param version rises with every change of the job, its elements and its attempts, except for the
 *     retirement of an ended attempt. A single row guards them all
 */
@RecordBuilder
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
    List<JobCheck> checks,
    long version)
    implements JobBuilder.With {
  public Job {
    checks = List.copyOf(checks);
  }

  public JobState state() {
    return run.state();
  }

  /** Returns the same version of the job with another spec. Callers must not store it. */
  public Job seenAs(JobSpec other) {
    return withSpec(other);
  }

  /**
   * The next version of the job, under another spec of the same name and queue. Checks of the old
   * spec permit nothing of the new spec.
   */
  Job respecified(JobSpec newSpec) {
    int newPriority = WarmMember.priority(newSpec);
    return with()
        .spec(newSpec)
        .priority(newPriority)
        .checks(List.of())
        .version(version + 1)
        .build();
  }

  /**
   * The next version of a member of a warm pool, as the job of a submit since now. Failures of the
   * member use no retry of the job.
   */
  Job takenBy(Job wanted, Instant now) {
    return with()
        .name(wanted.name())
        .user(wanted.user())
        .spec(wanted.spec())
        .priority(wanted.priority())
        .createdAt(now)
        .run(
            run.with()
                .changedAt(now)
                .startedAt(now)
                .failures(0)
                .faults(0)
                .retryAt(null)
                .failure(null)
                .build())
        .version(version + 1)
        .build();
  }

  public Job next(JobStatus newRun, @Nullable ArrayProgress newArray) {
    return with().run(newRun).array(newArray).version(version + 1).build();
  }

  /** Returns the same version of the job, for a transition that also stores these checks. */
  Job checkedBy(List<JobCheck> all) {
    return withChecks(all);
  }

  /** Number of the attempt that admission checks permit next: 0 for all of an array. */
  int checkedAttempt() {
    return array == null ? run.attempts() + 1 : 0;
  }

  /** Returns whether this check was requested for the next attempt. */
  public boolean current(JobCheck check) {
    return check.attempt() == checkedAttempt();
  }

  /**
   * Names of the checks that do not permit an attempt, in order.
   *
   * @param named checks of its queue
   * @param attempt its number, 1 for the first. An array accepts any number
   */
  public List<String> unchecked(List<String> named, int attempt) {
    return named.stream()
        .filter(name ->
            checks.stream().noneMatch(each -> each.permits(name, array == null ? attempt : 0)))
        .toList();
  }

  /** Returns the names of the checks that do not permit the next attempt, in order. */
  public List<String> unchecked(List<String> named) {
    return named.isEmpty() ? named : unchecked(named, checkedAttempt());
  }
}
