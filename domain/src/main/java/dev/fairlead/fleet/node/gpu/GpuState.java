package dev.fairlead.fleet.node.gpu;

/** State of a GPU. Each value documents the transitions out of it. */
public enum GpuState {
  /** The GPU is usable. The cluster's reports or health end this state. */
  HEALTHY,
  /** The GPU is usable, with recorded errors. Health ends this state. */
  DEGRADED,
  /** The GPU is not usable. The cluster's reports move it back. */
  FAILED,
  /**
   * A quarantine excludes this device because of its health. Current holders continue. The first
   * report after its release ends this state.
   */
  QUARANTINED,
  /** The GPU is not visible. The next report ends this state. */
  UNKNOWN
}
