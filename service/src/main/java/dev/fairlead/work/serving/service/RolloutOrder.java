package dev.fairlead.work.serving.service;

import dev.fairlead.work.serving.ServiceState;
import java.time.Instant;

/** A command for the open rollout of a service. */
public enum RolloutOrder {
  /** Moves all traffic to the version as soon as its replicas are ready. */
  PROMOTE("promoteModelService") {
    @Override
    ServiceState next(ServiceState state, int version, String by, Instant now) {
      return state.promoted(version, by, now);
    }
  },
  /** Returns all traffic to the stable version. */
  ABORT("abortModelService") {
    @Override
    ServiceState next(ServiceState state, int version, String by, Instant now) {
      return state.aborted(version, by, now);
    }
  },
  /** Stops the steps. A bad version is still rolled back. */
  PAUSE("pauseModelService") {
    @Override
    ServiceState next(ServiceState state, int version, String by, Instant now) {
      return state.paused(version, by);
    }
  },
  /** Continues after a pause, or begins the next step without a verdict. */
  RESUME("resumeModelService") {
    @Override
    ServiceState next(ServiceState state, int version, String by, Instant now) {
      return state.resumed(version, by, now);
    }
  };

  private final String operation;

  RolloutOrder(String operation) {
    this.operation = operation;
  }

  String operation() {
    return operation;
  }

  abstract ServiceState next(ServiceState state, int version, String by, Instant now);
}
