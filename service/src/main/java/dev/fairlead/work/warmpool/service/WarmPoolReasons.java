package dev.fairlead.work.warmpool.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.spi.PoolMembers;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Finds the reason why a warm pool has fewer sessions or Ray clusters than it should have. */
@Component
public class WarmPoolReasons {
  private final JobStore jobs;
  private final ExplanationStore explanations;
  private final JobSubmits submits;
  private final JobReader bodies;

  public WarmPoolReasons(
      JobStore jobs, ExplanationStore explanations, JobSubmits submits, JobReader bodies) {
    this.jobs = jobs;
    this.explanations = explanations;
    this.submits = submits;
    this.bodies = bodies;
  }

  /**
   * Reason of a member: the blocker of a member that waits, the state of a member that starts, or
   * the failure of a member that has just ended. Members that wait come first.
   *
   * @param active members that have not ended
   */
  Optional<String> ofMembers(Project project, WarmPool pool, List<Job> active) {
    List<Job> others = active.stream().filter(job -> job.state() != JobState.RUNNING).toList();
    Map<JobId, ExplanationStore.Stored> known =
        explanations.of(project.tenant(), others.stream().map(Job::id).toList());
    return others.stream()
        .flatMap(
            job -> Optional.ofNullable(known.get(job.id())).map(why -> waits(job, why)).stream())
        .findFirst()
        .or(() -> others.stream().findFirst().map(job -> job.name() + " is " + job.state()))
        .or(() -> ended(project, pool, active));
  }

  private static String waits(Job job, ExplanationStore.Stored stored) {
    Explanation explanation = stored.explanation();
    return "%s is %s: %s".formatted(job.name(), job.state(), explanation.first().message());
  }

  private Optional<String> ended(Project project, WarmPool pool, List<Job> active) {
    return pool.memberNames().stream()
        .limit(pool.members())
        .filter(name -> active.stream().noneMatch(job -> job.name().equals(name)))
        .flatMap(name -> PoolMembers.endedJustNow(jobs, project, name).stream())
        .findFirst()
        .map(WarmPoolReasons::failed);
  }

  private static String failed(Job job) {
    Failure failure = job.run().failure();
    String why = failure == null ? "" : ": " + failure.message();
    return "%s ended as %s%s. The next submit is %d minutes later"
        .formatted(job.name(), job.state(), why, PoolMembers.AGAIN.toMinutes());
  }

  /** Refusal of the next submit of a member. Call it outside of a transaction. */
  Optional<String> refused(Project project, WarmPool pool) {
    Actor actor = new Actor(project.tenant(), OwnActor.WARM_POOLS.text(), Role.TENANT_MEMBER);
    try {
      JobSpec job = bodies.read(actor, project.name(), pool.job());
      submits.check(actor, project.name(), member(pool, job));
      return Optional.empty();
    } catch (Refusal refused) {
      return Optional.of("The next submit is refused: " + refused.getMessage());
    }
  }

  private static JobSpec member(WarmPool pool, JobSpec job) {
    return pool.ray() == null
        ? WarmMember.of(job, pool.name(), pool.members())
        : RayPoolJob.clusterOf(job, WarmPool.clusterName(pool.name(), pool.members()));
  }
}
