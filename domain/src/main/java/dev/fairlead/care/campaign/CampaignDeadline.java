package dev.fairlead.care.campaign;

import dev.fairlead.fleet.operation.DrainPolicy;
import org.jspecify.annotations.Nullable;

/** The treatment of a node that is not drained in time. */
public enum CampaignDeadline {
  /** The node returns to service unchanged and counts as skipped. */
  SKIP(null),
  /** The campaign waits for the node. */
  WAIT(DrainPolicy.WAIT),
  /** Remaining work is stopped, even if it is not preemptible. */
  STOP(DrainPolicy.STOP);

  private final @Nullable DrainPolicy drain;

  CampaignDeadline(@Nullable DrainPolicy drain) {
    this.drain = drain;
  }

  /**
   * Returns the policy of its drain at the deadline, null if the campaign itself ends the drain.
   */
  public @Nullable DrainPolicy drain() {
    return drain;
  }
}
