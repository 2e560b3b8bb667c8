package dev.fairlead.care.campaign;

import dev.fairlead.fleet.operation.DrainPolicy;
import org.jspecify.annotations.Nullable;

/** What happens to a node that is not empty in time. */
public enum CampaignDeadline {
  /** It is given back as it is, and counts as skipped. */
  SKIP(null),
  /** It is waited for. */
  WAIT(DrainPolicy.WAIT),
  /** What is left there is stopped, also what may not be preempted. */
  STOP(DrainPolicy.STOP);

  private final @Nullable DrainPolicy drain;

  CampaignDeadline(@Nullable DrainPolicy drain) {
    this.drain = drain;
  }

  /** What its drain does then; null when the campaign ends the drain itself. */
  public @Nullable DrainPolicy drain() {
    return drain;
  }
}
