package dev.fairlead.work.serving.service;

import dev.fairlead.work.serving.ServiceState;
import java.time.Instant;

/**
 * A command for the open rollout of a service. A repeated command has no effect.
 *
 * @param operation operation of the API
 */
public record RolloutOrder(String operation, Change change) {
  /** Moves all traffic to the version as soon as its replicas are ready. */
  public static final RolloutOrder PROMOTE =
      new RolloutOrder("promoteModelService", ServiceState::promoted);

  /** Returns all traffic to the stable version. */
  public static final RolloutOrder ABORT =
      new RolloutOrder("abortModelService", ServiceState::aborted);

  /** Stops the steps. A bad version is still rolled back. */
  public static final RolloutOrder PAUSE =
      new RolloutOrder("pauseModelService", ServiceState::paused);

  /** Continues after a pause. */
  public static final RolloutOrder RESUME =
      new RolloutOrder(
          "resumeModelService", (state, version, by, now) -> state.resumed(version, by));

  /** The state after the command of a user. */
  interface Change {
    ServiceState next(ServiceState state, int version, String by, Instant now);
  }

  /**
   * Begins the next step without a verdict.
   *
   * @param share percent of the step that ends
   */
  public static RolloutOrder skip(int share) {
    return new RolloutOrder(
        "skipModelServiceStep",
        (state, version, by, now) -> state.skipped(version, share, by, now));
  }
}
