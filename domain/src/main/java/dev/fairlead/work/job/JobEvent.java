package dev.fairlead.work.job;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Failure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event in the life of a job or of an element of an array. */
public sealed interface JobEvent {
  /** The column of the transition table. */
  enum Kind {
    ADMITTED,
    STARTING,
    RUNNING,
    REQUEUED,
    SUCCEEDED,
    FAILED,
    EXPIRED,
    CANCEL_REQUESTED,
    CANCELLED,
    SUSPENDED,
    RESUMED,
    REQUEUE_REQUESTED
  }

  Kind kind();

  /** The engine placed it. Attempt and allocations are stored in the same transaction. */
  record Admitted(AttemptId attempt) implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.ADMITTED;
    }
  }

  /** Its supervisor began to create members. */
  record Starting() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.STARTING;
    }
  }

  /** All its members run. */
  record Running() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.RUNNING;
    }
  }

  /**
   * Its attempt ended and another may follow.
   *
   * @param counted whether the ended attempt spends retry budget
   * @param retryAt earliest time of the next attempt, null for immediately
   */
  record Requeued(Failure failure, boolean counted, @Nullable Instant retryAt) implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.REQUEUED;
    }
  }

  record Succeeded() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.SUCCEEDED;
    }
  }

  record Failed(Failure failure) implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.FAILED;
    }
  }

  /** The job waits, and can no longer end before its deadline or meet a dependency. */
  record Expired(Failure failure) implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.EXPIRED;
    }
  }

  /** The job waits, and handles a failure of a dependency that did not occur. */
  record Skipped(Failure failure) implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.CANCELLED;
    }
  }

  /** Cancel was requested while an attempt lives. */
  record CancelRequested() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.CANCEL_REQUESTED;
    }
  }

  /** Cancelled, with no live member. */
  record Cancelled() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.CANCELLED;
    }
  }

  /** Its owner requeued it. An attempt may still be stopping. Spends no budget. */
  record RequeueRequested() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.REQUEUE_REQUESTED;
    }
  }

  /** Its owner holds it back. An attempt may still be stopping. */
  record Suspended() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.SUSPENDED;
    }
  }

  record Resumed() implements JobEvent {
    @Override
    public Kind kind() {
      return Kind.RESUMED;
    }
  }
}
