package dev.fairlead.care.supply;

/** How far a request for nodes is; each value says what moves it out. */
public enum SupplyState {
  /** Not answered, or answered that it is not decided. The supplier's answer moves it out. */
  PENDING,
  /** The supplier has promised the nodes. Their arrival, or its deadline, moves it out. */
  GRANTED,
  /** All nodes were there. */
  READY,
  /** The supplier has no such nodes now. */
  REFUSED,
  /** They were not there in time. Those that come later are handed back. */
  TIMED_OUT;

  /** Whether nodes are still awaited. */
  public boolean waits() {
    return this == PENDING || this == GRANTED;
  }

  /** Whether it says that the supplier had none. */
  public boolean failed() {
    return this == REFUSED || this == TIMED_OUT;
  }
}
