package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Adds members with their allocations to a running attempt, or orders some to leave. Runs inside a
 * transaction under the scheduler's fence, and creates or deletes no pods.
 */
@Component
public class Resizer {
  private static final String ACTOR = OwnActor.SCHEDULER.text();
  private final JobStore jobs;
  private final JobWriter writer;
  private final Evictor evictor;

  public Resizer(JobStore jobs, JobWriter writer, Evictor evictor) {
    this.jobs = jobs;
    this.writer = writer;
    this.evictor = evictor;
  }

  /**
   * Returns false when the job has changed since the plan, or its attempt no longer runs.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict QUOTA, NODE_ROOM or GPU_SLOT without capacity
   */
  boolean resize(Decision decision) {
    return switch (decision) {
      case Decision.Grow grow -> grow(grow);
      case Decision.Shrink shrink -> written(shrink(shrink), List.of());
      case Decision.Place d -> throw unexpected(d);
      case Decision.Hold d -> throw unexpected(d);
      case Decision.Preempt d -> throw unexpected(d);
      case Decision.Reserve d -> throw unexpected(d);
      case Decision.Release d -> throw unexpected(d);
      case Decision.Expire d -> throw unexpected(d);
      case Decision.Ask d -> throw unexpected(d);
      case Decision.MoveBack d -> throw unexpected(d);
      case Decision.Leftover d -> throw unexpected(d);
    };
  }

  private boolean written(Optional<Transition> change, List<DecisionRecord> decided) {
    change.ifPresent(transition -> writer.write(List.of(transition), decided));
    return change.isPresent();
  }

  private boolean grow(Decision.Grow grow) {
    if (evictor.kept().keepsOut(grow.members())) {
      return false;
    }
    Job job = locked(grow.job(), grow.jobVersion());
    Attempt attempt = attempt(grow.attempt());
    if (job == null || attempt == null) {
      return false;
    }
    Instant now = jobs.now();
    return written(
        SizeTransitions.grow(job, attempt, grow.members(), now, ACTOR),
        List.of(new DecisionRecord(job.id(), now, joined(attempt, grow.members()))));
  }

  /** The joining members, without the existing ones. */
  private static DecisionRecord.Placed joined(Attempt attempt, List<Member> joining) {
    return new DecisionRecord.Placed(
        attempt.element(),
        1,
        attempt.number(),
        DecisionRecord.Place.of(attempt.cluster(), joining),
        List.of(),
        new TreeMap<>(),
        null);
  }

  private Optional<Transition> shrink(Decision.Shrink shrink) {
    Job job = locked(shrink.job(), shrink.jobVersion());
    Attempt attempt = attempt(shrink.attempt());
    return job == null || attempt == null
        ? Optional.empty()
        : SizeTransitions.shrink(
            job, attempt, shrink.members(), "its owner requested fewer members", jobs.now(), ACTOR);
  }

  private @Nullable Job locked(JobId id, long version) {
    return jobs.lock(List.of(id)).stream()
        .filter(job -> job.version() == version)
        .findFirst()
        .orElse(null);
  }

  private @Nullable Attempt attempt(AttemptId id) {
    return jobs.attempts(List.of(id)).stream().findFirst().orElse(null);
  }

  private static IllegalArgumentException unexpected(Decision decision) {
    return new IllegalArgumentException("changes no size: " + decision);
  }
}
