package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * The health test that the nodes of a job must pass before it starts.
 *
 * @param test name of a health test
 * @param timeout maximum time for which its nodes are reserved for the test, 1 minute to 24 hours
 * @param onUntested rule for a node that was not tested in time
 */
public record PreflightSpec(String test, Duration timeout, OnUntested onUntested) {
  /** A test that hangs or cannot run gives no result for its node. */
  public enum OnUntested {
    /** The job starts on the node anyway. */
    START,
    /** The job releases its reservation, avoids such nodes for an hour, and waits. */
    WAIT
  }
}
