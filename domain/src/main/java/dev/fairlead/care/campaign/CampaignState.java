package dev.fairlead.care.campaign;

/** State of a campaign. Each value documents the transitions out of it. */
public enum CampaignState {
  /**
   * The campaign processes its nodes. Its loop moves it out when all are complete, an operator by
   * pausing or aborting it.
   */
  RUNNING,
  /**
   * The campaign starts no more nodes, and nodes in progress continue. An operator moves it out, or
   * its loop when all are complete.
   */
  PAUSED,
  /** Each node is complete or was skipped. Final. */
  DONE,
  /** The campaign was aborted, and its nodes return to use. Final. */
  ABORTED
}
