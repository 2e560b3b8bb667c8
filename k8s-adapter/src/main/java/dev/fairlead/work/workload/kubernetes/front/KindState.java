package dev.fairlead.work.workload.kubernetes.front;

import dev.fairlead.work.attempt.AttemptId;
import org.jspecify.annotations.Nullable;

/**
 * State of an object's run.
 *
 * @param attempt attempt for which Fairlead last started it, null if it never did
 * @param suspended whether its controller last reported it as suspended
 * @param message message of the condition that reports its failure, empty otherwise
 */
public record KindState(
    @Nullable AttemptId attempt, Phase phase, boolean suspended, String message) {
  /** Progress of an object. */
  public enum Phase {
    /** The object must be stopped, and its controller has not reported the suspension. */
    STOPPING,
    /** The object must be stopped, and its controller has reported the suspension. */
    SUSPENDED,
    STARTING,
    RUNNING,
    SUCCEEDED,
    FAILED;

    /** Returns whether the controller will not start more pods. */
    public boolean over() {
      return this == SUSPENDED || this == SUCCEEDED || this == FAILED;
    }
  }
}
