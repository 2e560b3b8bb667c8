package dev.fairlead.fleet.operation;

/** What an operation does. */
public enum OperationKind {
  /** Moves what runs on one node elsewhere. */
  DRAIN_NODE,
  /** Moves what runs on a whole cluster elsewhere. */
  DRAIN_CLUSTER
}
