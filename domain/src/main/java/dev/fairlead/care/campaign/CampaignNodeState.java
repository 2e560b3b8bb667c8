package dev.fairlead.care.campaign;

/** Where a node of a campaign stands; each value says who moves it out. */
public enum CampaignNodeState {
  /** Its turn is still to come. The loop of campaigns moves it out. */
  PENDING,
  /** Its drain runs. Moved out when that has ended, by the deadline, or when it is uncordoned. */
  DRAINING,
  /** It is empty and is worked on. An operator moves it out: done, or uncordoned. */
  READY,
  /** It came back and has to be in order for the soak. The loop moves it out. */
  SOAKING,
  /** It came back and is out of order. Its health moves it out: in order, it soaks again. */
  UNHEALTHY,
  /** Through. Final. */
  DONE,
  /** Left out, or given back before it was through. Final. */
  SKIPPED;

  /** Whether it is being looked after. */
  public boolean active() {
    return switch (this) {
      case DRAINING, READY, SOAKING, UNHEALTHY -> true;
      case PENDING, DONE, SKIPPED -> false;
    };
  }

  /** Whether it is out of use for the work on it. */
  public boolean outOfUse() {
    return this == DRAINING || this == READY;
  }

  /** Whether it takes one of the places of nodes that are out of use at a time. */
  boolean takesPlace() {
    return active() && this != UNHEALTHY;
  }
}
