package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.LateExplanation;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.workload.judgement.PlaceTransitions;
import dev.fairlead.work.workload.judgement.PlaceTransitions.Place;
import dev.fairlead.work.workload.judgement.UnlaunchedAttempt;
import dev.fairlead.work.workload.judgement.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Decisions of a supervisor about an attempt. */
public final class AttemptDecisions {
  private static final String ACTOR = OwnActor.SUPERVISOR.text();

  private AttemptDecisions() {}

  /** Store the result of observations. */
  public static Transition judged(AttemptCase now, Verdict verdict, Instant at) {
    Transition transition =
        JobTransitions.observe(
            now.job(),
            now.element(),
            verdict.attempt(),
            verdict.event(),
            verdict.facts(),
            at,
            ACTOR);
    return verdict.fewer() ? transition.leaving() : transition;
  }

  /** Store the explanation of a stored end, null when its job has advanced. */
  public static @Nullable Transition explained(AttemptCase now, Failure why, Instant at) {
    return LateExplanation.of(now.job(), now.element(), now.attempt(), why, at, ACTOR).orElse(null);
  }

  /** Store that creates are about to be sent. */
  public static AttemptDecision launching() {
    return (now, at) -> event(now, new AttemptEvent.Launch(), at);
  }

  /**
   * Stores that the attempt is abandoned because its cluster accepts no requests, unless it may
   * have been sent.
   */
  public static AttemptDecision unsent(String why) {
    return (now, at) ->
        UnlaunchedAttempt.giveUp(now.attempt(), why, at)
            .map(verdict -> judged(now, verdict, at))
            .orElse(null);
  }

  /**
   * Store that the cluster refuses the attempt permanently. For a running attempt only the joining
   * members are refused.
   */
  public static AttemptDecision refused(FailureCause cause, String message) {
    return refused(message, now -> Failure.of(cause, message, now.attempt().number()));
  }

  /**
   * Store that the cluster refuses the attempt, which may be tried elsewhere. For a running attempt
   * only the joining members are refused.
   *
   * @param everywhere whether each cluster that the job may use has denied it often enough: then
   *     the job is at fault
   */
  public static AttemptDecision turnedAway(
      ClusterRefusal kind, String message, boolean everywhere) {
    return everywhere
        ? refused(
            FailureCause.CONFIGURATION,
            "every eligible cluster refuses its pods, most recently with: " + message)
        : refused(message, now -> kind.failure(message, now.attempt().number()));
  }

  /** Store that the resources of members follow their pods. */
  public static AttemptDecision moved(Map<AttemptId, Map<MemberKey, Place>> places) {
    return (now, at) ->
        PlaceTransitions.moved(
                now.job(), now.attempt(), places.getOrDefault(now.attempt().id(), Map.of()), ACTOR)
            .orElse(null);
  }

  /**
   * Stores that the attempt stops because its pods run on nodes that are closed to it. The planned
   * nodes are not at fault, so the failure counts against the cluster.
   */
  public static AttemptDecision misplaced(Map<AttemptId, String> causes) {
    return (now, at) -> {
      String why = causes.getOrDefault(now.attempt().id(), "");
      Failure failure = ClusterRefusal.FOR_NOW.failure(why, now.attempt().number());
      Instant deadline = at.plus(now.job().spec().preemption().gracePeriod());
      return event(now, new AttemptEvent.Stop(StopCause.MEMBER_FAILED, failure, deadline), at);
    };
  }

  private static AttemptDecision refused(String message, Function<AttemptCase, Failure> why) {
    return (now, at) -> {
      if (now.attempt().state() == AttemptState.RUNNING) {
        return SizeTransitions.giveUp(now.job(), now.attempt(), message, at, ACTOR).orElse(null);
      }
      Failure failure = why.apply(now);
      Instant deadline = at.plus(now.job().spec().preemption().gracePeriod());
      return event(now, new AttemptEvent.Stop(StopCause.MEMBER_FAILED, failure, deadline), at);
    };
  }

  /** Store that the handling of these attempts fails, and the cause. */
  public static AttemptDecision setAside(Map<AttemptId, String> causes) {
    return (now, at) ->
        JobTransitions.setAside(
            now.job(), now.attempt(), causes.getOrDefault(now.attempt().id(), ""), ACTOR);
  }

  /** Store that devices of these attempts are reported for other pods too. */
  public static AttemptDecision devicesShared(Map<AttemptId, String> devices) {
    return (now, at) ->
        now.attempt().live()
            ? JobTransitions.devicesShared(
                now.job(), now.attempt(), devices.getOrDefault(now.attempt().id(), ""), ACTOR)
            : null;
  }

  /** Store why these ended attempts cannot be cleaned up. */
  public static AttemptDecision notCleared(Map<AttemptId, String> causes) {
    return (now, at) ->
        JobTransitions.notCleared(
            now.job(), now.attempt(), causes.getOrDefault(now.attempt().id(), ""), ACTOR);
  }

  /**
   * Store that no object of the ended attempt remains on its cluster. Only a report of a remaining
   * object is followed by an event, because nothing depends on other ends.
   */
  public static AttemptDecision retired(Set<AttemptId> reported) {
    return (now, at) -> {
      if (now.attempt().live() || now.attempt().retiredAt() != null) {
        return null;
      }
      Transition retired = JobTransitions.retire(now.job(), now.attempt(), at, ACTOR);
      return reported.contains(now.attempt().id()) ? retired : retired.withoutFacts();
    };
  }

  private static @Nullable Transition event(AttemptCase now, AttemptEvent event, Instant at) {
    return AttemptLifecycle.apply(now.attempt(), event, at)
        .map(moved ->
            JobTransitions.observe(now.job(), now.element(), moved, event, List.of(), at, ACTOR))
        .orElse(null);
  }
}
