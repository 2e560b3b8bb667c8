package dev.fairlead.care.supply;

/** State of a request for nodes. Each value documents the transitions out of it. */
public enum SupplyState {
  /**
   * The provisioner has not answered or not decided. The provisioner's response moves the request
   * out.
   */
  PENDING,
  /**
   * The provisioner has confirmed the nodes. The nodes' arrival or the deadline moves the request
   * out.
   */
  GRANTED,
  /** All nodes have arrived. */
  READY,
  /** The provisioner has no such nodes now. */
  REFUSED,
  /** The nodes did not arrive in time. Later nodes are returned. */
  TIMED_OUT;

  /** Returns whether nodes may still arrive. */
  public boolean waits() {
    return this == PENDING || this == GRANTED;
  }

  /** Returns whether the provisioner had no nodes. */
  public boolean failed() {
    return this == REFUSED || this == TIMED_OUT;
  }
}
