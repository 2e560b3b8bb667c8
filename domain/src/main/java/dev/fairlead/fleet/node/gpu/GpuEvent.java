package dev.fairlead.fleet.node.gpu;

/** An event that changes the state of a GPU. */
public enum GpuEvent {
  REPORTED_HEALTHY,
  REPORTED_FAULT,
  REPORTED_LOST,
  SILENCE,
  QUARANTINE,
  RELEASE
}
