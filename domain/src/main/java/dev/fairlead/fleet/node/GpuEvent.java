package dev.fairlead.fleet.node;

/** What moves a GPU. */
public enum GpuEvent {
  REPORTED_HEALTHY,
  REPORTED_FAULT,
  REPORTED_LOST,
  SILENCE
}
