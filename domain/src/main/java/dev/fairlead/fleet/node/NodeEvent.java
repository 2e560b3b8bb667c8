package dev.fairlead.fleet.node;

/** An event that changes the state of a node. */
public enum NodeEvent {
  REPORTED_READY,
  REPORTED_CORDONED,
  REPORTED_NOT_READY,
  REPORTED_GONE,
  CORDON,
  DRAIN,
  DRAIN_ENDED,
  QUARANTINE,
  RELEASE
}
