package dev.fairlead.care.campaign;

/** State of a node in a campaign. Each value documents its outgoing transitions. */
public enum CampaignNodeState {
  /** The node's maintenance has not started. The campaign loop starts it. */
  PENDING,
  /**
   * Its drain runs. This state ends when the drain has ended, at the deadline, or when the node is
   * uncordoned.
   */
  DRAINING,
  /**
   * The node is empty and under maintenance. An operator ends this state, by completing the work or
   * by uncordoning the node.
   */
  READY,
  /**
   * The node has returned and must stay healthy for the soak time. The campaign loop ends this
   * state.
   */
  SOAKING,
  /** The node has returned and is unhealthy. When it becomes healthy, it soaks again. */
  UNHEALTHY,
  /** The node is complete. Final. */
  DONE,
  /** The node was omitted, or returned to service before it was complete. Final. */
  SKIPPED;

  /** Returns whether the node is in progress. */
  public boolean active() {
    return switch (this) {
      case DRAINING, READY, SOAKING, UNHEALTHY -> true;
      case PENDING, DONE, SKIPPED -> false;
    };
  }

  /** Returns whether the node is out of service for maintenance. */
  public boolean outOfUse() {
    return this == DRAINING || this == READY;
  }

  /** Returns whether the node counts towards the limit of concurrent nodes. */
  boolean takesPlace() {
    return active() && this != UNHEALTHY;
  }
}
