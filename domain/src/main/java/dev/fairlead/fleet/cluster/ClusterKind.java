package dev.fairlead.fleet.cluster;

/** The implementation behind a cluster's port. */
public enum ClusterKind {
  KUBERNETES,
  SLURM,
  SIMULATED
}
