package dev.fairlead.kernel.resources;

/** Pricing of a cluster's capacity. */
public enum CapacityType {
  RESERVED,
  ON_DEMAND,
  SPOT
}
