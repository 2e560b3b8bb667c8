package dev.fairlead.fleet.cluster;

/** An event that changes the state of a cluster. */
public enum ClusterEvent {
  /** The cluster answered and its inventory is current. */
  CONTACT,
  /** The cluster responds with errors, or its circuit breaker is open. */
  TROUBLE,
  /** The cluster has not answered for longer than the limit. */
  SILENCE,
  /** An operator drains the cluster. */
  DRAIN,
  /** An operator disables the cluster. */
  DISABLE,
  /** An operator returns the cluster to service. */
  ENABLE
}
