package dev.fairlead.care.health;

/** The scope that a fault takes out of service. */
public enum FaultScope {
  /** Nothing. */
  NONE,
  /** One GPU. */
  GPU,
  /** The machine with all its GPUs. */
  NODE
}
