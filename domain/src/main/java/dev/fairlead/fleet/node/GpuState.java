package dev.fairlead.fleet.node;

/** State of a GPU; each value says who moves it out. */
public enum GpuState {
  /** Usable. The cluster's reports or health move it out. */
  HEALTHY,
  /** Usable with errors noted. Health moves it out. */
  DEGRADED,
  /** Not usable. The cluster's reports move it back. */
  FAILED,
  /** Cannot be seen. The next report moves it out. */
  UNKNOWN
}
