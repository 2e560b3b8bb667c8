package dev.fairlead.care.healthtest;

/** Result of a run of a health test. */
public enum HealthTestOutcome {
  /** The program ended with exit code 0. */
  PASSED,
  /** It ended with another one, or a fault of its node ended it. */
  FAILED,
  /** It exceeded its time, which proves nothing about its node. */
  HUNG,
  /** It could not run as configured: image, memory, configuration. */
  BROKEN,
  /** Another job took the node, the node disappeared, or the node had too little capacity. */
  INTERRUPTED;

  /** Returns whether the outcome is a verdict about the node. */
  public boolean judges() {
    return this == PASSED || this == FAILED;
  }
}
