package dev.fairlead.fleet.node.gpu;

/** Certainty about which devices a member uses. */
public enum GpuIdentity {
  /** Fairlead chose the device, and the cluster reports that the member has it. */
  ENFORCED,
  /** Fairlead chose the device, and the cluster has not reported its allocation yet. */
  ALLOCATING,
  /** The node chose the device, and a source reported it after the start. */
  OBSERVED,
  /** No source reported the device, or sources disagree. */
  UNKNOWN
}
