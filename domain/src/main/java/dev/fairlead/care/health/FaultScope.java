package dev.fairlead.care.health;

/** What a fault takes out of use. */
public enum FaultScope {
  /** Nothing by itself. */
  NONE,
  /** One GPU. */
  GPU,
  /** The machine with all its GPUs. */
  NODE
}
