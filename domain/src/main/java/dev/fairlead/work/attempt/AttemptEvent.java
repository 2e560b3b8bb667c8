package dev.fairlead.work.attempt;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event in the life of an attempt. */
public sealed interface AttemptEvent {
  /** The column of the transition table. */
  enum Kind {
    LAUNCH,
    PULLING,
    RUNNING,
    STOP,
    CHECKPOINT_ENDED,
    UNREACHABLE,
    SEEN_LAUNCHING,
    SEEN_PULLING,
    SEEN_RUNNING,
    SEEN_STOPPING,
    SUCCEEDED,
    FAILED,
    PREEMPTED,
    EVICTED,
    LOST,
    CANCELLED
  }

  Kind kind();

  /** Creates are about to be sent. */
  record Launch() implements AttemptEvent {
    @Override
    public Kind kind() {
      return Kind.LAUNCH;
    }
  }

  /** Members changed so that the attempt is now PULLING or RUNNING. */
  record Progress(boolean running) implements AttemptEvent {
    @Override
    public Kind kind() {
      return running ? Kind.RUNNING : Kind.PULLING;
    }
  }

  /**
   * The attempt must end.
   *
   * @param checkpoint the request before the stop, null for an immediate stop
   */
  record Stop(
      StopCause cause, Failure failure, Instant deadline, @Nullable CheckpointRequest checkpoint)
      implements AttemptEvent {
    public Stop(StopCause cause, Failure failure, Instant deadline) {
      this(cause, failure, deadline, null);
    }

    @Override
    public Kind kind() {
      return Kind.STOP;
    }
  }

  /** The wait for its checkpoint ends: it is stopped. */
  record CheckpointEnded(CheckpointRequest.Outcome how) implements AttemptEvent {
    @Override
    public Kind kind() {
      return Kind.CHECKPOINT_ENDED;
    }
  }

  /** A node or the cluster of the attempt is unreachable. */
  record Unreachable() implements AttemptEvent {
    @Override
    public Kind kind() {
      return Kind.UNREACHABLE;
    }
  }

  /** It is observable again, in the given state (LAUNCHING, PULLING, RUNNING or STOPPING). */
  record Seen(AttemptState state) implements AttemptEvent {
    @Override
    public Kind kind() {
      return switch (state) {
        case LAUNCHING, PLANNED -> Kind.SEEN_LAUNCHING;
        case PULLING -> Kind.SEEN_PULLING;
        case RUNNING -> Kind.SEEN_RUNNING;
        case STOPPING -> Kind.SEEN_STOPPING;
        case UNKNOWN, SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED ->
            throw new IllegalArgumentException("nothing is seen to become " + state);
      };
    }
  }

  /** Every member is dead, with evidence. {@code state} is terminal. */
  record Ended(AttemptState state, Failure failure) implements AttemptEvent {
    @Override
    public Kind kind() {
      return switch (state) {
        case SUCCEEDED -> Kind.SUCCEEDED;
        case FAILED -> Kind.FAILED;
        case PREEMPTED -> Kind.PREEMPTED;
        case EVICTED -> Kind.EVICTED;
        case LOST -> Kind.LOST;
        case CANCELLED -> Kind.CANCELLED;
        case PLANNED, LAUNCHING, PULLING, RUNNING, STOPPING, UNKNOWN ->
            throw new IllegalArgumentException(state + " is not terminal");
      };
    }
  }
}
