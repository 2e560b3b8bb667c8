package dev.fairlead.care.campaign;

/** State of a campaign. Each value documents the transitions out of it. */
public enum CampaignState {
  /**
   * The campaign processes its nodes. The campaign loop ends this state when all nodes are
   * complete, or an operator by pausing or aborting the campaign.
   */
  RUNNING,
  /**
   * The campaign starts no more nodes, and nodes in progress continue. An operator ends this state,
   * or the campaign loop when all nodes are complete.
   */
  PAUSED,
  /** Each node is complete or was skipped. Final. */
  DONE,
  /** The campaign was aborted, and its nodes return to use. Final. */
  ABORTED
}
