package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.verify.engine.timelapse.trace.Arrival;

/**
 * Result of a job.
 *
 * @param started seconds since the trace began, -1 when it never ran
 * @param ended time of its completion, -1 when it never completed
 * @param preemptions number of evictions for other jobs
 */
record Outcome(Arrival job, long started, long ended, int preemptions) {
  boolean ran() {
    return ended >= 0;
  }

  /** Seconds from submission to the end without its run. */
  long waited() {
    return ended - job.submitted() - job.run();
  }

  /** Seconds from submission to the end. */
  long took() {
    return ended - job.submitted();
  }
}
