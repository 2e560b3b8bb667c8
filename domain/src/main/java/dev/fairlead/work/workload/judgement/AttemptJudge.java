package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.operation.ClosedBy;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.GangRepair;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Effect of an observation on an attempt. Pure. Members first (the state of each pod, and proof of
 * death), then at most one event of the attempt. An attempt ends only when every member is dead by
 * evidence.
 */
public final class AttemptJudge {
  private static final Set<FailureCause> LOSSES =
      EnumSet.of(FailureCause.NODE_FAILURE, FailureCause.CLUSTER_LOST);

  /** Failure causes of members that lost their machine. */
  private static final Set<FailureCause> TAKEN_ALONG =
      EnumSet.of(FailureCause.NODE_FAILURE, FailureCause.EVICTED);

  private AttemptJudge() {}

  public static Verdict judge(Attempt attempt, Job job, Observations view) {
    if (!attempt.live()) {
      return new Verdict(attempt, null, List.of(), false, null);
    }
    List<Member> members =
        attempt.members().stream()
            .map(m -> view.silent() ? m : MemberJudge.update(m, attempt, view))
            .map(m -> view.awaits(m) ? m : UnreachableMembers.conclude(m, attempt, job, view))
            .toList();
    members = MemberJudge.notAhead(attempt.members(), members, view.now());
    /* A member that starts to run joins the gang before a fault is judged. */
    Resizing.Settled joined = Resizing.settle(attempt.with(members), job, view);
    Resizing.Settled without = FaultyMembers.leave(joined.attempt(), job, view);
    Resizing.Settled resized = Resizing.settle(without.attempt(), job, view);
    Resizing.Settled settled = FinishedMembers.release(resized.attempt(), job, view);
    List<Fact> facts = new ArrayList<>(MemberJudge.facts(attempt.members(), members));
    facts.addAll(joined.facts());
    facts.addAll(without.facts());
    facts.addAll(resized.facts());
    facts.addAll(settled.facts());
    Attempt seen = settled.attempt();
    AttemptEvent event = event(seen, job, view);
    Attempt next =
        event == null
            ? seen
            : AttemptLifecycle.apply(seen, event, happens(event, view)).orElse(seen);
    boolean moved = next.state() != seen.state() || !Objects.equals(next.stop(), seen.stop());
    boolean fewer = next.left().size() > attempt.left().size();
    return new Verdict(next, moved ? event : null, facts, fewer, lookAgain(next, job, view));
  }

  /**
   * Nodes that the cluster itself must confirm before the attempt is judged: the node watch lags
   * behind the pod watch, and a boot from before a pod's start would mark a live member as dead.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   * @param isolated open faults of the cluster
   */
  public static SortedSet<String> nodesToAsk(
      Attempt attempt,
      ObservedWorkload observed,
      Map<String, NodeReport> nodes,
      OpenFaults isolated) {
    SortedSet<String> names = new TreeSet<>();
    if (attempt.live()) {
      attempt.members().stream()
          .filter(m -> MemberJudge.hangsOnItsNode(m, observed, nodes.get(m.nodeName()), isolated))
          .forEach(m -> names.add(m.nodeName()));
    }
    return names;
  }

  /** The end of a wait moves a deadline, which is by the database's clock. */
  private static Instant happens(AttemptEvent event, Observations view) {
    return event instanceof AttemptEvent.CheckpointEnded ? view.clock() : view.now();
  }

  private static @Nullable AttemptEvent event(Attempt attempt, Job job, Observations view) {
    if (attempt.members().stream().allMatch(Member::dead)) {
      return ended(attempt, job, view);
    }
    boolean unsent = attempt.state() == AttemptState.PLANNED && view.silent();
    if (attempt.state() == AttemptState.STOPPING) {
      return checkpointEnded(attempt, job, view);
    }
    if (unsent) {
      return null;
    }
    boolean unreachable =
        attempt.members().stream().anyMatch(m -> UnreachableMembers.unreachable(m, view));
    AttemptEvent stop = stop(attempt, job, view, unreachable);
    if (stop != null) {
      return stop;
    }
    if (unreachable) {
      return attempt.state() == AttemptState.UNKNOWN ? null : new AttemptEvent.Unreachable();
    }
    boolean hidden = attempt.members().stream().anyMatch(m -> !m.dead() && view.awaits(m));
    return hidden ? null : progress(attempt);
  }

  /**
   * Like {@link #ended(Attempt, JobSpec)}. An end explained by an incident is not the job's fault.
   * An attempt that had already exceeded its time needs no other explanation.
   */
  private static AttemptEvent.Ended ended(Attempt attempt, Job job, Observations view) {
    AttemptEvent.Ended own = ended(attempt, job.spec());
    AttemptEvent.Ended end = new AttemptEvent.Ended(own.state(), announced(own.failure(), view));
    return end.state() == AttemptState.FAILED && !attempt.outOfTime()
        ? view.isolated()
            .failure(attempt, view.nodes(), view.now())
            .or(() -> FaultyMembers.explains(attempt, view).map(f -> announced(f, view)))
            .map(sick -> new AttemptEvent.Ended(end.state(), sick))
            .orElse(end)
        : end;
  }

  /** Adds that a member was lost with a machine that was announced to be removed. */
  private static Failure announced(Failure failure, Observations view) {
    NodeReport node = failure.node() == null ? null : view.nodes().get(failure.node());
    return TAKEN_ALONG.contains(failure.cause())
            && node != null
            && node.endsSoon()
            && !failure.wasAnnounced()
        ? failure.announced()
        : failure;
  }

  /**
   * Explanation of the end of an attempt whose incident was reported later, empty without one or if
   * the end is already explained.
   */
  public static Optional<Failure> explains(Attempt ended, Observations view) {
    return ended.live()
        ? Optional.empty()
        : view.isolated().explains(ended, view.nodes(), view.timeouts().keepFailed(), view.now());
  }

  /** The end of an attempt with only dead members. */
  static AttemptEvent.Ended ended(Attempt attempt, JobSpec spec) {
    if (attempt.state() == AttemptState.PLANNED) {
      return UnlaunchedAttempt.end(attempt, "none of its objects was created");
    }
    Failure failure = attempt.failure() != null ? attempt.failure() : FirstFailure.of(attempt);
    boolean whole = GangRepair.whole(spec, attempt);
    if (whole && attempt.core().stream().allMatch(Member::finished)) {
      return new AttemptEvent.Ended(AttemptState.SUCCEEDED, failure); // the work is already done
    }
    Attempt.StopOrder stop = attempt.stop();
    if (stop != null && stop.cause() != StopCause.MEMBER_FAILED) {
      return new AttemptEvent.Ended(stop.cause().end(), failure);
    }
    failure = FirstFailure.confirmed(attempt, failure);
    boolean traceless =
        attempt.core().stream().allMatch(m -> m.state() == MemberState.GONE)
            && attempt.left().stream().noneMatch(Member::finished);
    AttemptState end =
        failure.cause() == FailureCause.EVICTED
            ? AttemptState.EVICTED
            : traceless && LOSSES.contains(failure.cause())
                ? AttemptState.LOST
                : AttemptState.FAILED;
    return new AttemptEvent.Ended(end, failure);
  }

  /** End of a pending checkpoint request, null while it is pending. */
  private static AttemptEvent.@Nullable CheckpointEnded checkpointEnded(
      Attempt attempt, Job job, Observations view) {
    CheckpointRequest request = attempt.awaitedCheckpoint();
    if (request == null) {
      return null;
    }
    if (request.answeredBy(attempt.checkpointedAt())) {
      return new AttemptEvent.CheckpointEnded(CheckpointRequest.Outcome.ACKNOWLEDGED);
    }
    if (request.within(view.timeouts().checkpoint()).overAt(view.now())
        || due(NoticeEviction.lastCheckpoint(attempt, job.spec(), view), view.now())) {
      return new AttemptEvent.CheckpointEnded(CheckpointRequest.Outcome.TIMED_OUT);
    }
    if (attempt.core().stream().allMatch(Member::dead)) {
      /* The other members do not depend on members that join or leave. */
      return new AttemptEvent.CheckpointEnded(CheckpointRequest.Outcome.EXITED);
    }
    boolean pointless =
        view.wanted() == JobState.CANCELLING
            || broken(attempt, view)
            || !GangRepair.whole(job.spec(), attempt)
            || view.isolated().failure(attempt, view.nodes(), view.now()).isPresent();
    return pointless ? new AttemptEvent.CheckpointEnded(CheckpointRequest.Outcome.CUT_SHORT) : null;
  }

  /** A gang with a missing or unreachable member can no longer save its work. */
  private static boolean broken(Attempt attempt, Observations view) {
    return due(FirstFailure.settledAt(attempt, view.timeouts().settle()), view.now())
        || attempt.core().stream().anyMatch(m -> UnreachableMembers.onSilentNode(m, view));
  }

  private static AttemptEvent.@Nullable Stop stop(
      Attempt attempt, Job job, Observations view, boolean unreachable) {
    Duration grace = job.spec().preemption().gracePeriod();
    Instant now = view.now();
    Instant clock = view.clock();
    AttemptEvent.Stop order = order(attempt, job, view);
    if (order != null) {
      return order;
    }
    Failure sick = view.isolated().failure(attempt, view.nodes(), now).orElse(null);
    if (sick != null) {
      return new AttemptEvent.Stop(StopCause.ISOLATION, sick, clock.plus(grace));
    }
    Failure lost = FaultyMembers.notReplaced(attempt, job, view).orElse(null);
    if (lost != null) {
      StopCause cause = lost.explained() ? StopCause.ISOLATION : StopCause.MEMBER_FAILED;
      return new AttemptEvent.Stop(cause, announced(lost, view), clock.plus(grace));
    }
    if (due(settledAt(attempt, job, view), now)) {
      return new AttemptEvent.Stop(
          StopCause.MEMBER_FAILED, announced(FirstFailure.of(attempt), view), clock.plus(grace));
    }
    if (due(noticed(attempt, job, view), now)) {
      return NoticeEviction.stop(attempt, job.spec(), view);
    }
    if (due(unhealthy(attempt, job, view), now)) {
      return UnhealthyDevices.stop(attempt, job.spec(), view);
    }
    if (due(movesAt(attempt, job, view), now)) {
      return JobTransitions.stop(
          attempt, StopCause.DRAIN, job.spec(), drainMessage(attempt, job, view), clock);
    }
    /* The cluster ends an unreachable attempt, so its fate is unknown here. */
    boolean enforcedThere = unreachable && UnreachableMembers.givenUpAfter(job) != null;
    if (!enforcedThere && due(Deadline.stops(job.spec(), attempt.startedAt()), now)) {
      return JobTransitions.stop(
          attempt, StopCause.DEADLINE, job.spec(), overtime(job, now), clock);
    }
    Member stuck = FirstFailure.stuck(attempt);
    if (stuck != null && due(attempt.startsFrom().plus(view.timeouts().imageError()), now)) {
      Failure failure = FirstFailure.ofStuck(attempt, stuck);
      return new AttemptEvent.Stop(StopCause.MEMBER_FAILED, failure, clock.plus(grace));
    }
    boolean late = due(startLimit(attempt, view.timeouts()), now);
    Failure unplaced = late ? FirstFailure.unplaced(attempt) : null;
    if (unplaced != null) {
      return new AttemptEvent.Stop(StopCause.MEMBER_FAILED, unplaced, clock.plus(grace));
    }
    return late
        ? JobTransitions.stop(
            attempt, StopCause.START_TIMEOUT, job.spec(), "not all members started in time", clock)
        : null;
  }

  /** Time when the failure of a member ends the gang, null if it does not. */
  private static @Nullable Instant settledAt(Attempt attempt, Job job, Observations view) {
    return FaultyMembers.awaitsOthers(attempt, job, view)
        ? null
        : FirstFailure.settledAt(attempt, view.timeouts().settle());
  }

  /** The order of the owner. */
  private static AttemptEvent.@Nullable Stop order(Attempt attempt, Job job, Observations view) {
    JobSpec spec = job.spec();
    Instant now = view.clock();
    if (view.wanted() == JobState.CANCELLING) {
      return JobTransitions.stop(attempt, StopCause.CANCEL, spec, "cancelled by its owner", now);
    }
    return view.wanted() == JobState.SUSPENDED
        ? JobTransitions.stop(attempt, StopCause.SUSPEND, spec, "suspended by its owner", now)
        : null;
  }

  private static @Nullable AttemptEvent progress(Attempt attempt) {
    boolean running = attempt.core().stream().allMatch(AttemptJudge::runsOrEnded);
    boolean created = attempt.core().stream().allMatch(m -> m.uid() != null);
    /* A member with a proven end is judged like any other end, not as a start. */
    boolean ran =
        attempt.startedAt() != null
            && attempt.core().stream().allMatch(m -> m.dead() || runsOrEnded(m));
    return switch (attempt.state()) {
      case LAUNCHING -> running || created ? new AttemptEvent.Progress(running) : null;
      case PULLING -> running ? new AttemptEvent.Progress(true) : null;
      case UNKNOWN ->
          new AttemptEvent.Seen(
              running || ran
                  ? AttemptState.RUNNING
                  : created ? AttemptState.PULLING : AttemptState.LAUNCHING);
      case PLANNED, RUNNING, STOPPING, SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED ->
          null;
    };
  }

  /**
   * Time when a drain may move the attempt: immediately before its first create, otherwise after
   * its minimum run time. If it is not preemptible, only at the deadline of a drain that stops
   * remaining jobs, which also bounds the others. A failure that is being judged takes precedence.
   */
  private static @Nullable Instant movesAt(Attempt attempt, Job job, Observations view) {
    if (attempt.core().stream().noneMatch(m -> leaves(m, job, view.drained()))
        || settledAt(attempt, job, view) != null) {
      return null;
    }
    if (attempt.state() == AttemptState.PLANNED) {
      return view.now();
    }
    Instant started = attempt.startedAt();
    Duration least = job.spec().preemption().minRuntime();
    Instant own =
        !job.spec().preemption().allowed()
            ? null
            : started == null ? view.now() : started.plus(least);
    Instant latest = stopsAt(attempt, view.drained());
    return own == null || latest != null && latest.isBefore(own) ? latest : own;
  }

  /**
   * Time when a machine's notice moves the attempt. A failure that is being judged takes
   * precedence.
   */
  private static @Nullable Instant noticed(Attempt attempt, Job job, Observations view) {
    return settledAt(attempt, job, view) == null
        ? NoticeEviction.movesAt(attempt, job.spec(), view)
        : null;
  }

  /**
   * Time when an unhealthy GPU moves the attempt. A failure that is being judged takes precedence.
   */
  private static @Nullable Instant unhealthy(Attempt attempt, Job job, Observations view) {
    return settledAt(attempt, job, view) == null ? UnhealthyDevices.movesAt(attempt, view) : null;
  }

  /** Time when a drain stops remaining attempts regardless of their rules, null for never. */
  private static @Nullable Instant stopsAt(Attempt attempt, DrainScope drained) {
    return attempt.core().stream()
        .map(m -> drained.stopsAt(m.node()))
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static boolean leaves(Member member, Job job, DrainScope drained) {
    return drained.ordered(member.node()) || closedBy(member, job, drained).isPresent();
  }

  /** Reason, other than an order, that closes its node to the job. */
  private static Optional<ClosedBy> closedBy(Member member, Job job, DrainScope drained) {
    List<String> pools = job.spec().placement().pools();
    return drained.closed().getOrDefault(member.node(), List.of()).stream()
        .filter(by -> by.stops(job.tenant(), job.project(), pools))
        .findFirst();
  }

  private static String drainMessage(Attempt attempt, Job job, Observations view) {
    DrainScope drained = view.drained();
    boolean ordered =
        drained.all()
            || attempt.members().stream().anyMatch(m -> drained.nodes().contains(m.node()));
    return ordered
        ? ordered(attempt, view)
        : attempt.members().stream()
            .flatMap(m -> closedBy(m, job, drained).stream())
            .findFirst()
            .map(ClosedBy::why)
            .orElse("its node is being drained");
  }

  private static String ordered(Attempt attempt, Observations view) {
    DrainScope drained = view.drained();
    Instant deadline = stopsAt(attempt, drained);
    String by = due(deadline, view.now()) ? ", by the deadline " + deadline : "";
    return attempt.members().stream()
            .filter(m -> drained.nodes().contains(m.node()))
            .findFirst()
            .map(m -> "node " + m.nodeName())
            .orElse("its cluster")
        + " is being drained"
        + by;
  }

  private static String overtime(Job job, Instant now) {
    Instant deadline = job.spec().deadline();
    return due(deadline, now)
        ? "still ran at its job's deadline " + deadline
        : "ran longer than its maxRuntime";
  }

  /** A running attempt has started, no matter how late that is observed. */
  private static @Nullable Instant startLimit(Attempt attempt, WorkloadTimeouts timeouts) {
    if (attempt.core().stream().allMatch(AttemptJudge::runsOrEnded)) {
      return null;
    }
    return switch (attempt.state()) {
      case LAUNCHING, PULLING ->
          attempt
              .startsFrom()
              .plus(
                  attempt.members().stream().anyMatch(m -> m.state() == MemberState.PULLING)
                      ? timeouts.imagePull()
                      : timeouts.gangStart());
      case PLANNED,
          RUNNING,
          STOPPING,
          UNKNOWN,
          SUCCEEDED,
          FAILED,
          PREEMPTED,
          EVICTED,
          LOST,
          CANCELLED ->
          null;
    };
  }

  private static @Nullable Instant lookAgain(Attempt attempt, Job job, Observations view) {
    Instant image =
        FirstFailure.stuck(attempt) == null
            ? null
            : attempt.startsFrom().plus(view.timeouts().imageError());
    boolean overlaps =
        attempt.state() == AttemptState.UNKNOWN
            && job.spec().onUnreachable() == OnUnreachable.ALLOW_OVERLAP
            && !view.doubted();
    Instant failed = settledAt(attempt, job, view);
    CheckpointRequest request = attempt.awaitedCheckpoint();
    if (request != null) {
      Instant until = request.within(view.timeouts().checkpoint()).until();
      return Stream.of(
              Optional.ofNullable(failed),
              Optional.ofNullable(NoticeEviction.lastCheckpoint(attempt, job.spec(), view)))
          .flatMap(Optional::stream)
          .filter(until::isAfter)
          .min(Comparator.naturalOrder())
          .orElse(until);
    }
    Instant next = overlaps ? view.now() : null;
    for (Instant candidate :
        new Instant[] {
          failed,
          movesAt(attempt, job, view),
          noticed(attempt, job, view),
          unhealthy(attempt, job, view),
          Deadline.stops(job.spec(), attempt.startedAt()),
          startLimit(attempt, view.timeouts()),
          Resizing.lookAgain(attempt, job, view.timeouts()),
          FinishedMembers.lookAgain(attempt, job, view.timeouts()),
          FaultyMembers.waitsUntil(attempt, job),
          view.isolated().lookAgain(attempt, view.now()),
          image
        }) {
      if (candidate != null && (next == null || candidate.isBefore(next))) {
        next = candidate;
      }
    }
    return attempt.live() && attempt.state() != AttemptState.STOPPING ? next : null;
  }

  private static boolean due(@Nullable Instant at, Instant now) {
    return at != null && !now.isBefore(at);
  }

  private static boolean runsOrEnded(Member member) {
    return member.state() == MemberState.RUNNING || member.state() == MemberState.SUCCEEDED;
  }
}
