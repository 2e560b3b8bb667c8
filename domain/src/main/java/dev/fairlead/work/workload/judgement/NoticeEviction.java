package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves attempts off machines whose end is announced. Checkpoint time and grace period end before
 * the deadline of the notice. Preemption rules do not apply, because the machine ends anyway.
 */
public final class NoticeEviction {
  /** Jobs leave this long before the deadline, or earlier if they need more time to stop. */
  static final Duration EARLY = Duration.ofMinutes(15);

  /** Time between the end of the last process and the deadline. */
  static final Duration MARGIN = Duration.ofSeconds(5);

  private static final Duration SHORTEST_GRACE = Duration.ofSeconds(1);

  /** The soonest end of a machine of an attempt. */
  private record Ending(Member member, NodeNotice notice, Instant deadline) {}

  private NoticeEviction() {}

  /** The soonest end that moves the attempt. */
  private static Optional<Ending> ending(Attempt attempt, JobSpec spec, Observations view) {
    return endings(attempt.core(), view.nodes())
        .filter(ending -> moves(attempt, spec, ending.notice()))
        .min(Comparator.comparing(Ending::deadline));
  }

  /** A rebalance only advises to move, and the machine may run on for days. */
  private static boolean moves(Attempt attempt, JobSpec spec, NodeNotice notice) {
    return notice.kind() != NodeNotice.Kind.REBALANCE
        || spec.preemption().allowed()
        || attempt.state() == AttemptState.PLANNED;
  }

  private static Stream<Ending> endings(List<Member> members, Map<String, NodeReport> nodes) {
    return members.stream()
        .filter(m -> !m.dead())
        .flatMap(m -> ending(m, nodes.get(m.nodeName())).stream());
  }

  private static Optional<Ending> ending(Member member, @Nullable NodeReport node) {
    return Optional.ofNullable(node)
        .flatMap(NodeReport::notice)
        .filter(NodeNotice::stops)
        .flatMap(notice ->
            Optional.ofNullable(notice.deadline())
                .map(deadline -> new Ending(member, notice, deadline)));
  }

  /**
   * Returns the soonest deadline of the machines of the attempt. The result is null if none has a
   * notice that ends it.
   *
   * @param nodes the cluster's nodes by name
   */
  public static @Nullable Instant deadline(Attempt attempt, Map<String, NodeReport> nodes) {
    return endings(attempt.members(), nodes)
        .map(Ending::deadline)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /**
   * Returns the grace period of a stop: the job's own, or the time left before the deadline. A
   * deadline that has passed does not shorten it, because its clock may be wrong.
   *
   * @param deadline null if none
   */
  public static Duration grace(Duration own, @Nullable Instant deadline, Instant now) {
    if (deadline == null || !now.isBefore(deadline)) {
      return own;
    }
    Duration left = Duration.between(now, deadline.minus(MARGIN));
    Duration most = left.compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : left;
    return own.compareTo(most) < 0 ? own : most;
  }

  /** Returns when a checkpoint time must end, so that the grace period fits. Null for never. */
  static @Nullable Instant lastCheckpoint(Attempt attempt, JobSpec spec, Observations view) {
    return ending(attempt, spec, view)
        .map(ending -> ending.deadline().minus(MARGIN).minus(spec.preemption().gracePeriod()))
        .orElse(null);
  }

  /**
   * Returns when the attempt leaves, null for never. A planned attempt leaves immediately. Members
   * that join or leave do not move the others.
   */
  static @Nullable Instant movesAt(Attempt attempt, JobSpec spec, Observations view) {
    Ending ending = ending(attempt, spec, view).orElse(null);
    if (ending == null) {
      return null;
    }
    if (attempt.state() == AttemptState.PLANNED && ending.notice().closes(view.now())) {
      return view.now();
    }
    Duration stops = spec.preemption().stopsWithin().plus(MARGIN);
    return ending.deadline().minus(stops.compareTo(EARLY) < 0 ? EARLY : stops);
  }

  /** Returns whether the machine of a joining member ends, so that it leaves before it belongs. */
  static boolean closed(Member member, Observations view) {
    return ending(member, view.nodes().get(member.nodeName()))
        .filter(ending -> ending.notice().closes(view.now()))
        .isPresent();
  }

  /** Returns the order to leave. The eviction costs no retry. */
  static AttemptEvent.Stop stop(Attempt attempt, JobSpec spec, Observations view) {
    Ending ending = ending(attempt, spec, view).orElseThrow();
    Instant now = view.clock();
    Member member = ending.member();
    Failure failure =
        Failure.ofNotice(
            "node " + member.nodeName() + " has a notice: " + ending.notice().text(),
            attempt.number(),
            member.key(),
            member.nodeName());
    Duration own = spec.preemption().gracePeriod();
    Instant latest = ending.deadline().minus(MARGIN).minus(own);
    Instant stops = Deadline.stops(spec, attempt.startedAt());
    CheckpointRequest request =
        CheckpointRequest.of(
            attempt,
            StopCause.DRAIN,
            spec.preemption().checkpointTimeout(),
            stops == null || latest.isBefore(stops) ? latest : stops,
            now);
    Instant end =
        request == null ? now.plus(grace(own, ending.deadline(), now)) : request.until().plus(own);
    return new AttemptEvent.Stop(StopCause.DRAIN, failure, end, request);
  }
}
