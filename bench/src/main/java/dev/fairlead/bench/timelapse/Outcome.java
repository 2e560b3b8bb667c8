package dev.fairlead.bench.timelapse;

/**
 * What came of a job.
 *
 * @param started seconds since the trace began, -1 when it never ran
 * @param ended when it had run to its end, -1 when it never did
 * @param preemptions how often it was stopped for another
 */
record Outcome(Arrival job, long started, long ended, int preemptions) {
  boolean ran() {
    return ended >= 0;
  }

  /** Seconds from submission to the end that were not its run. */
  long waited() {
    return ended - job.submitted() - job.run();
  }

  /** Seconds from submission to the end. */
  long took() {
    return ended - job.submitted();
  }
}
