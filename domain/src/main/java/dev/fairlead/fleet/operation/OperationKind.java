package dev.fairlead.fleet.operation;

/** The kind of an operation. */
public enum OperationKind {
  /** Moves work from one node to other nodes. */
  DRAIN_NODE,
  /** Moves work from a whole cluster to other clusters. */
  DRAIN_CLUSTER
}
