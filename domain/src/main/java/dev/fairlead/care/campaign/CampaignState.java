package dev.fairlead.care.campaign;

/** State of a campaign; each value says who moves it out. */
public enum CampaignState {
  /**
   * Takes nodes out of use and back. Its loop moves it out when all are through, an operator by
   * pausing or aborting it.
   */
  RUNNING,
  /**
   * Begins no more nodes; what is under way goes on. An operator moves it out, and its loop when
   * all are through.
   */
  PAUSED,
  /** Each node is through or was skipped. Final. */
  DONE,
  /** Given up. Nodes that it took out of use are given back. Final. */
  ABORTED
}
