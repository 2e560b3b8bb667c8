package dev.fairlead.work.job;

/** State of a job, and of an element of an array. Each value names the evidence that ends it. */
public enum JobState {
  /**
   * Waits for a place. After a requeue an attempt may still be stopping. The plan applier moves it
   * to ADMITTED, its owner to CANCELLED or SUSPENDED, an attempt that had ended well to SUCCEEDED.
   */
  QUEUED,
  /** Has an attempt with allocations. Nothing is created yet. Its supervisor ends this state. */
  ADMITTED,
  /** Its members are being created, pulled and started. Its supervisor ends this state. */
  STARTING,
  /** All its members run. Observations end this state. */
  RUNNING,
  /** Final: every member ended with exit code 0. */
  SUCCEEDED,
  /** Final: it failed and its retry budget does not allow another attempt. */
  FAILED,
  /** Final: cancelled, with no live member. */
  CANCELLED,
  /**
   * Held back by its owner. An attempt may still be stopping. Its owner ends this state, or an
   * attempt that had succeeded before it was stopped.
   */
  SUSPENDED,
  /**
   * Cancel is stored. An attempt is stopping. Evidence of its death moves it to CANCELLED, or to
   * SUCCEEDED when it had ended well before it was stopped.
   */
  CANCELLING
}
