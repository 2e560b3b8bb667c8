package dev.fairlead.fleet.cluster;

/** State of a cluster; each value says who moves it out. */
public enum ClusterState {
  /**
   * Answers. The supervisor moves it to DEGRADED or UNREACHABLE, an operator to DRAINING or
   * DISABLED.
   */
  ACTIVE,
  /**
   * Answers with errors, or not at all for four seconds: nothing new is placed. The supervisor
   * moves it out.
   */
  DEGRADED,
  /** Silent for longer than the bound. The supervisor moves it out at the first contact. */
  UNREACHABLE,
  /** Takes nothing new, runs what it has. An operator moves it out. */
  DRAINING,
  /** Not supervised. An operator moves it out. */
  DISABLED
}
