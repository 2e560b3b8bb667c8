package dev.fairlead.care.health;

/** The scope that a fault takes out of use. */
public enum FaultScope {
  /** Nothing. */
  NONE,
  /** One GPU. */
  GPU,
  /** The machine with all its GPUs. */
  NODE
}
