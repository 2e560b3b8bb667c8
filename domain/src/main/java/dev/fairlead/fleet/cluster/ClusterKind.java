package dev.fairlead.fleet.cluster;

/** What stands behind a cluster's port. */
public enum ClusterKind {
  KUBERNETES,
  SIMULATED
}
