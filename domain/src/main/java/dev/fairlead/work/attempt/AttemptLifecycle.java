package dev.fairlead.work.attempt;

import static dev.fairlead.work.attempt.AttemptState.CANCELLED;
import static dev.fairlead.work.attempt.AttemptState.EVICTED;
import static dev.fairlead.work.attempt.AttemptState.FAILED;
import static dev.fairlead.work.attempt.AttemptState.LAUNCHING;
import static dev.fairlead.work.attempt.AttemptState.LOST;
import static dev.fairlead.work.attempt.AttemptState.PLANNED;
import static dev.fairlead.work.attempt.AttemptState.PREEMPTED;
import static dev.fairlead.work.attempt.AttemptState.PULLING;
import static dev.fairlead.work.attempt.AttemptState.RUNNING;
import static dev.fairlead.work.attempt.AttemptState.STOPPING;
import static dev.fairlead.work.attempt.AttemptState.SUCCEEDED;
import static dev.fairlead.work.attempt.AttemptState.UNKNOWN;

import dev.fairlead.kernel.lifecycle.TransitionTable;
import dev.fairlead.work.attempt.AttemptEvent.Kind;
import java.time.Instant;
import java.util.Optional;

/** The attempt's machine. UNKNOWN holds the attempt's resources. Terminal states are final. */
public final class AttemptLifecycle {
  public static final TransitionTable<AttemptState, Kind> TABLE =
      TransitionTable.of(AttemptState.class, Kind.class)
          .on(Kind.LAUNCH, LAUNCHING, PLANNED)
          .on(Kind.PULLING, PULLING, LAUNCHING)
          .on(Kind.RUNNING, RUNNING, LAUNCHING, PULLING)
          .on(Kind.STOP, STOPPING, PLANNED, LAUNCHING, PULLING, RUNNING, UNKNOWN)
          .on(Kind.CHECKPOINT_ENDED, STOPPING, STOPPING)
          .on(Kind.UNREACHABLE, UNKNOWN, LAUNCHING, PULLING, RUNNING)
          .on(Kind.SEEN_LAUNCHING, LAUNCHING, UNKNOWN)
          .on(Kind.SEEN_PULLING, PULLING, UNKNOWN)
          .on(Kind.SEEN_RUNNING, RUNNING, UNKNOWN)
          .on(Kind.SEEN_STOPPING, STOPPING, UNKNOWN)
          .on(Kind.SUCCEEDED, SUCCEEDED, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN)
          .on(Kind.FAILED, FAILED, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN)
          .on(Kind.PREEMPTED, PREEMPTED, PLANNED, STOPPING, UNKNOWN)
          .on(Kind.EVICTED, EVICTED, PLANNED, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN)
          .on(Kind.LOST, LOST, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN)
          .on(Kind.CANCELLED, CANCELLED, PLANNED, STOPPING, UNKNOWN)
          .build();

  private AttemptLifecycle() {}

  /** The attempt after the event, empty if its state does not accept the event. */
  public static Optional<Attempt> apply(Attempt attempt, AttemptEvent event, Instant now) {
    return TABLE.next(attempt.state(), event.kind()).map(next -> moved(attempt, next, event, now));
  }

  private static Attempt moved(
      Attempt attempt, AttemptState next, AttemptEvent event, Instant now) {
    return switch (event) {
      case AttemptEvent.Launch e -> attempt.in(next).launchedAt(now);
      case AttemptEvent.Progress e ->
          next == RUNNING ? attempt.in(next).startedAt(now) : attempt.in(next);
      case AttemptEvent.Seen e -> {
        Attempt seen = attempt.in(next).unreachableSince(null);
        yield next == RUNNING ? seen.startedAt(now) : seen;
      }
      case AttemptEvent.Unreachable e -> attempt.in(next).unreachableSince(now);
      case AttemptEvent.Stop e ->
          attempt
              .in(next)
              .stopping(
                  new Attempt.StopOrder(e.cause(), e.deadline(), e.checkpoint()), e.failure());
      case AttemptEvent.CheckpointEnded e -> attempt.in(next).checkpointEnded(e.how(), now);
      case AttemptEvent.Ended e -> attempt.in(next).ended(now, e.failure());
    };
  }
}
