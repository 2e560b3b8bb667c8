package dev.fairlead.fleet.cluster;

/** State of a cluster. Each value documents the transitions out of it. */
public enum ClusterState {
  /**
   * The cluster answers. The supervisor moves it to DEGRADED or UNREACHABLE, an operator to
   * DRAINING or DISABLED.
   */
  ACTIVE,
  /**
   * The cluster responds with errors, or has not responded for four seconds. No new jobs are placed
   * on it. The supervisor ends this state.
   */
  DEGRADED,
  /**
   * The cluster has not answered for longer than the limit. The supervisor ends this state at the
   * first contact.
   */
  UNREACHABLE,
  /** The cluster accepts no new jobs and runs its current attempts. An operator ends this state. */
  DRAINING,
  /** The cluster is not supervised. An operator ends this state. */
  DISABLED
}
