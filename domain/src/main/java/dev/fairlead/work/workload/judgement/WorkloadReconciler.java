package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Due actions of a supervisor for one attempt, from its desired and its observed state. Pure. */
public final class WorkloadReconciler {
  private WorkloadReconciler() {}

  /** The due step, empty if no step is due. */
  public enum Step {
    /** Store that creates are about to be sent, then launch. */
    LAUNCH(Share.START),
    /** Creates were sent or may have been: complete them. */
    COMPLETE_LAUNCH(Share.START),
    STOP(Share.STOP),
    /** The attempt will be stopped, and its programs save their work first. */
    ASK(Share.STOP),
    /** Members were added to a running attempt: create them. */
    GROW(Share.START),
    /** Members leave a running attempt: end them. */
    SHRINK(Share.STOP),
    /** The container of a member has ended, but sidecars of its cluster still run: end its pod. */
    DISMISS(Share.CLEAR),
    /** The result is stored: remove remaining objects, then store that none is left. */
    RETIRE(Share.CLEAR),
    /** Its node accepts no new members, so other clients may evict its members. */
    YIELD(Share.STOP),
    /** Its nodes are all schedulable again: protect its members from eviction. */
    GUARD(Share.STOP),
    /** The attempt ended before anything was created: store that nothing remains. */
    FORGET(Share.CLEAR);

    private final Share share;

    Step(Share share) {
      this.share = share;
    }

    public Share share() {
      return share;
    }
  }

  /** Share of a pass for one step: starts, stops and cleanup each get the same share. */
  public enum Share {
    START,
    STOP,
    CLEAR
  }

  /**
   * Returns whether others may evict members: a cordoned node may be waiting for a drain, and a
   * preemptible job does not block it.
   */
  public static boolean yields(Attempt attempt, Job job, Predicate<Member> onClosedNode) {
    return job.spec().preemption().allowed()
        && attempt.live()
        && attempt.everyMember().size() > 1
        && attempt.members().stream().anyMatch(onClosedNode);
  }

  public static Optional<Step> reconcile(Attempt desired, ObservedWorkload observed) {
    return switch (desired.state()) {
      case PLANNED -> Optional.of(Step.LAUNCH);
      case LAUNCHING ->
          missing(desired, observed).isEmpty()
              ? dismiss(desired, observed)
              : Optional.of(Step.COMPLETE_LAUNCH);
      case PULLING, RUNNING, UNKNOWN ->
          resize(desired, observed).or(() -> dismiss(desired, observed));
      case STOPPING ->
          desired.awaitedCheckpoint() != null
              ? dismiss(desired, observed)
              : toStop(desired, observed).isEmpty() ? Optional.empty() : Optional.of(Step.STOP);
      case SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED ->
          Optional.of(retire(desired, observed));
    };
  }

  private static Optional<Step> resize(Attempt desired, ObservedWorkload observed) {
    if (!Resizing.untold(desired, observed).isEmpty()) {
      return Optional.of(Step.SHRINK);
    }
    boolean grows = desired.state() == AttemptState.RUNNING;
    return grows && !missing(desired, observed).isEmpty()
        ? Optional.of(Step.GROW)
        : Optional.empty();
  }

  private static Optional<Step> dismiss(Attempt desired, ObservedWorkload observed) {
    return accompanied(desired, observed).isEmpty() ? Optional.empty() : Optional.of(Step.DISMISS);
  }

  /** Live members whose pods only run sidecars. */
  public static List<MemberKey> accompanied(Attempt desired, ObservedWorkload observed) {
    return desired.members().stream()
        .filter(m -> !m.dead())
        .map(MemberKey::of)
        .filter(key ->
            observed
                .member(key)
                .filter(pod -> pod.held() == ObservedMember.Held.SIDECARS)
                .isPresent())
        .toList();
  }

  /** Members that were never observed and do not exist, which a launch must still create. */
  public static List<MemberKey> missing(Attempt desired, ObservedWorkload observed) {
    return desired.toCreate().stream()
        .map(MemberKey::of)
        .filter(key -> observed.member(key).isEmpty())
        .toList();
  }

  /** Members that a stop order must end: neither dead nor deleted. */
  public static List<MemberKey> toStop(Attempt desired, ObservedWorkload observed) {
    return desired.members().stream()
        .filter(m -> !m.dead())
        .map(MemberKey::of)
        .filter(key -> observed.member(key).filter(ObservedMember::deleting).isEmpty())
        .toList();
  }

  private static Step retire(Attempt desired, ObservedWorkload observed) {
    boolean neverCreated =
        desired.everyMember().stream().allMatch(m -> m.evidence() == DeathEvidence.NEVER_CREATED);
    return observed.empty() && neverCreated ? Step.FORGET : Step.RETIRE;
  }
}
