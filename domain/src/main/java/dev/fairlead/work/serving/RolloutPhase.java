package dev.fairlead.work.serving;

/** Phase of a rollout. */
public enum RolloutPhase {
  /** Replicas of the new version are not ready. The traffic does not move. */
  WAITING_FOR_REPLICAS(true),
  /** The new version has the traffic of its step and is judged. */
  OBSERVING(true),
  /** The step has lasted long enough, and too few requests arrived for a verdict. */
  WAITING_FOR_TRAFFIC(true),
  /** The new version is the stable version. Final. */
  PROMOTED(false),
  /** The new version was bad. All traffic is on the stable version. Final. */
  ROLLED_BACK(false),
  /** A user aborted it. All traffic is on the stable version. Final. */
  ABORTED(false);

  private final boolean open;

  RolloutPhase(boolean open) {
    this.open = open;
  }

  /** Returns whether the rollout continues. */
  public boolean open() {
    return open;
  }
}
