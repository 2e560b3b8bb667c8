package dev.fairlead.work.attempt;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request to a program to save its work before it is stopped. No object of the attempt is deleted
 * before the wait ends.
 *
 * @param asked start of the wait, by the database's clock
 * @param until how long it is awaited at most
 * @param outcome how the wait ended, null while it lasts
 */
public record CheckpointRequest(Instant asked, Instant until, @Nullable Outcome outcome) {
  /** Maximum delay of clock readings, which arrive in any order. */
  private static final Duration SET_BACK = Duration.ofMinutes(1);

  /** Outcome of the wait for a checkpoint. */
  public enum Outcome {
    /** Its job reported a checkpoint. */
    ACKNOWLEDGED,
    /** All its members ended on their own, except joining or leaving ones. */
    EXITED,
    /** The timeout expired, so it was stopped without a checkpoint. */
    TIMED_OUT,
    /** The wait no longer has a purpose: a cancel, a fault of its GPU, or a failed member. */
    CUT_SHORT
  }

  /**
   * The checkpoint request for an attempt that is ordered to end, null for an immediate stop: its
   * job has no checkpoint time, not all of it runs, or its cause leaves no time or nothing to save.
   *
   * @param timeout wait that its job requests, null if none
   * @param latest end of its own time, null for never
   */
  public static @Nullable CheckpointRequest of(
      Attempt attempt,
      StopCause cause,
      @Nullable Duration timeout,
      @Nullable Instant latest,
      Instant now) {
    if (timeout == null || attempt.state() != AttemptState.RUNNING || !asks(cause)) {
      return null;
    }
    Instant wanted = now.plus(timeout);
    Instant until = latest != null && latest.isBefore(wanted) ? latest : wanted;
    return until.isAfter(now) ? new CheckpointRequest(now, until, null) : null;
  }

  /** Returns whether the program can act, and its work is wanted again. */
  private static boolean asks(StopCause cause) {
    return switch (cause) {
      case PREEMPTION, DRAIN, SUSPEND -> true;
      case CANCEL, // its owner abandons its work
          ISOLATION, // a hanging or faulty attempt saves nothing, or wrong data
          MEMBER_FAILED,
          START_TIMEOUT,
          HANG, // it does not respond
          DEADLINE, // its wait has timed out
          EVICTION,
          LOSS ->
          false;
    };
  }

  /** Returns whether Fairlead still waits for the checkpoint. */
  public boolean open() {
    return outcome == null;
  }

  /** Returns the request with a shorter wait, because the operator may have lowered the limit. */
  public CheckpointRequest within(Duration longest) {
    Instant latest = asked.plus(longest);
    return latest.isBefore(until) ? new CheckpointRequest(asked, latest, outcome) : this;
  }

  /**
   * Returns the request with a later deadline. The deadline never moves earlier, and is at most the
   * maximum time after the request.
   */
  CheckpointRequest extended(Instant wanted, Duration longest) {
    Instant latest = asked.plus(longest);
    Instant next = wanted.isAfter(latest) ? latest : wanted;
    return next.isAfter(until) ? new CheckpointRequest(asked, next, outcome) : this;
  }

  /**
   * Returns whether the wait has timed out. Returns true as well when the clock is far before the
   * request, because the clock was set back and the elapsed wait is unknown.
   */
  public boolean overAt(Instant now) {
    return !now.isBefore(until) || now.isBefore(asked.minus(SET_BACK));
  }

  /** Returns whether a checkpoint at that time answers the request. */
  public boolean answeredBy(@Nullable Instant checkpointedAt) {
    return checkpointedAt != null && !checkpointedAt.isBefore(asked);
  }

  CheckpointRequest ended(Outcome how) {
    return new CheckpointRequest(asked, until, how);
  }
}
