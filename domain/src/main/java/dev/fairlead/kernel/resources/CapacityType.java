package dev.fairlead.kernel.resources;

/** How a cluster's capacity is paid for. */
public enum CapacityType {
  RESERVED,
  ON_DEMAND,
  SPOT
}
