package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * Monitoring of a job's progress reports.
 *
 * @param timeout maximum time between two reports, or since the last reported activity. 1 minute to
 *     24 hours
 */
public record ProgressSpec(Duration timeout, OnTimeout onTimeout) {
  /** The action after the timeout. */
  public enum OnTimeout {
    /** A running attempt without a report hangs, and is replaced by the next attempt. */
    RETRY,
    /** A running attempt that reports no activity is idle, and its job is suspended. */
    SUSPEND
  }
}
