package dev.fairlead.care.healthtest;

/** Result of a run of a health test. */
public enum HealthTestOutcome {
  /** The program ended with exit code 0. */
  PASSED,
  /** The test ended with another exit code, or a fault of its node ended it. */
  FAILED,
  /** The test exceeded its time, which proves nothing about its node. */
  HUNG,
  /** The test could not run as configured, because of its image, memory or settings. */
  BROKEN,
  /** Another job took the node, the node disappeared, or the node had too little capacity. */
  INTERRUPTED;

  /** Returns whether the outcome is a verdict about the node. */
  public boolean judges() {
    return this == PASSED || this == FAILED;
  }
}
