package dev.fairlead.fleet.node.gpu;

/** Certainty about which devices a member uses. */
public enum GpuIdentity {
  /** Fairlead chose the device: the GPU slot of the ledger is the device. */
  ENFORCED,
  /** The node chose the device, and a source reported it after the start. */
  OBSERVED,
  /** No source reported the device, or sources disagree. */
  UNKNOWN
}
