package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.DecisionRecordEvictedBuilder;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.WarmMember;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * Orders victims to stop and reserves their nodes for the job that needs them, or does neither.
 * Runs inside a transaction under the scheduler's fence.
 */
@Component
public class Evictor {
  private static final String ACTOR = OwnActor.SCHEDULER.text();
  private final JobStore jobs;
  private final JobWriter writer;
  private final ReservationStore reservations;

  public Evictor(JobStore jobs, JobWriter writer, ReservationStore reservations) {
    this.jobs = jobs;
    this.writer = writer;
    this.reservations = reservations;
  }

  /** The present reservations. */
  ReservedGpuCheck kept() {
    return new ReservedGpuCheck(reservations.all());
  }

  /** Stores the new reservations and deletes released ones. */
  void keep(Collection<Reservation> kept, Collection<Reservation> released) {
    reservations.remove(released);
    reservations.put(kept);
  }

  /**
   * Evicts victims. A victim that has ended or is stopping is skipped, because its node becomes
   * free in any case. Also reserves the new nodes of a moved job, and ends reservations that the
   * job takes over.
   *
   * @return false when the job that needs the nodes has changed, or a user has taken a victim from
   *     its warm pool. Then no victim is stopped
   */
  boolean preempt(Decision.Preempt preempt) {
    SortedSet<JobId> ids = new TreeSet<>();
    preempt.victims().forEach(victim -> ids.add(victim.job()));
    ids.add(preempt.job());
    Map<JobId, Job> current = new TreeMap<>();
    jobs.lock(ids).forEach(job -> current.put(job.id(), job));
    Job needs = current.get(preempt.job());
    if (needs == null
        || needs.version() != preempt.jobVersion()
        || preempt.victims().stream().anyMatch(victim -> taken(victim, current))) {
      return false;
    }
    Map<AttemptId, Decision.Preempt.Eviction> told = new TreeMap<>();
    preempt.victims().forEach(victim -> told.put(victim.attempt(), victim));
    List<Transition> transitions = new ArrayList<>();
    List<DecisionRecord> evictions = new ArrayList<>();
    Instant now = jobs.now();
    for (Attempt victim : jobs.attempts(told.keySet())) {
      Job job = current.get(victim.job());
      Decision.Preempt.Eviction eviction = told.get(victim.id());
      if (job != null && eviction != null) {
        int before = transitions.size();
        if (eviction.members().isEmpty()) {
          stop(victim, job, eviction.right(), now, transitions);
        } else {
          SizeTransitions.evict(job, victim, eviction.members(), eviction.right(), now, ACTOR)
              .ifPresent(transitions::add);
        }
        current.put(job.id(), transitions.isEmpty() ? job : latest(transitions, job));
        if (transitions.size() > before) {
          evictions.add(evicted(victim, job, eviction, needs, now));
        }
      }
    }
    writer.write(transitions, evictions);
    SortedSet<JobId> stopped = new TreeSet<>();
    transitions.forEach(transition -> stopped.add(transition.job().id()));
    List<Reservation> kept = new ArrayList<>();
    kept.add(preempt.reservation());
    preempt.moved().stream().filter(r -> stopped.contains(r.job())).forEach(kept::add);
    keep(kept, preempt.taken());
    return true;
  }

  /**
   * Stops the attempt and reserves the new nodes for its job.
   *
   * @return false when the job has changed or the attempt is stopping already. Then nothing changes
   */
  boolean moveBack(Decision.MoveBack moveBack) {
    Job job = jobs.lock(List.of(moveBack.job())).stream().findFirst().orElse(null);
    Attempt attempt = jobs.attempts(List.of(moveBack.attempt())).stream().findFirst().orElse(null);
    if (job == null || job.version() != moveBack.jobVersion() || attempt == null) {
      return false;
    }
    List<Transition> transitions = new ArrayList<>();
    Instant now = jobs.now();
    stop(attempt, job, EvictionRight.MOVED_BACK, now, transitions);
    if (transitions.isEmpty()) {
      return false;
    }
    DecisionRecord.Evicted moved =
        DecisionRecord.Evicted.of(
                attempt, StopCause.PREEMPTION, EvictionRight.MOVED_BACK, moveBack.saving().text())
            .withSaving(moveBack.saving());
    writer.write(transitions, List.of(new DecisionRecord(job.id(), now, moved)));
    keep(List.of(moveBack.reservation()), List.of());
    return true;
  }

  /**
   * Stops the attempt and queues its job again. An array changes with each of its elements, so only
   * its attempt is checked.
   *
   * @return false when the job has changed or the attempt is stopping already. Then nothing changes
   */
  boolean leftover(Decision.Leftover leftover) {
    Job job = jobs.lock(List.of(leftover.job())).stream().findFirst().orElse(null);
    Attempt attempt = jobs.attempts(List.of(leftover.attempt())).stream().findFirst().orElse(null);
    if (job == null || attempt == null) {
      return false;
    }
    if (job.array() == null && job.version() != leftover.jobVersion()) {
      return false;
    }
    List<Transition> transitions = new ArrayList<>();
    Instant now = jobs.now();
    stop(attempt, job, EvictionRight.QUOTA_WINDOW, now, transitions);
    if (transitions.isEmpty()) {
      return false;
    }
    DecisionRecord.Evicted ended =
        DecisionRecord.Evicted.of(
            attempt,
            StopCause.PREEMPTION,
            EvictionRight.QUOTA_WINDOW,
            EvictionRight.QUOTA_WINDOW.text());
    writer.write(transitions, List.of(new DecisionRecord(job.id(), now, ended)));
    return true;
  }

  /** Omits the name of a job of another project. */
  private static DecisionRecord evicted(
      Attempt victim, Job job, Decision.Preempt.Eviction eviction, Job needs, Instant now) {
    int leaving =
        eviction.members().isEmpty() ? victim.members().size() : eviction.members().size();
    return new DecisionRecord(
        job.id(),
        now,
        DecisionRecordEvictedBuilder.builder()
            .element(victim.element())
            .elements(1)
            .attempt(victim.number())
            .cause(StopCause.PREEMPTION)
            .right(eviction.right())
            .message(eviction.right().text())
            .members(leaving)
            .by(needs.project().equals(job.project()) ? needs.id() : null)
            .saving(null)
            .build());
  }

  private static boolean taken(Decision.Preempt.Eviction victim, Map<JobId, Job> current) {
    Job job = current.get(victim.job());
    return victim.warm() && job != null && !WarmMember.is(job.spec());
  }

  private void stop(
      Attempt victim, Job job, EvictionRight right, Instant now, List<Transition> transitions) {
    AttemptEvent.Stop stop = JobTransitions.preempt(victim, right, job.spec(), now);
    JobElement element =
        job.array() == null ? null : jobs.element(job.id(), victim.element()).orElse(null);
    AttemptLifecycle.apply(victim, stop, now)
        .map(moved -> JobTransitions.observe(job, element, moved, stop, List.of(), now, ACTOR))
        .ifPresent(transitions::add);
  }

  private static Job latest(List<Transition> transitions, Job job) {
    Job last = transitions.getLast().job();
    return last.id().equals(job.id()) ? last : job;
  }
}
