package dev.fairlead.work.spec;

import java.time.Duration;

/**
 * Test that the nodes of a job have to pass before it starts.
 *
 * @param test name of a health test
 * @param timeout maximum reservation of its nodes for the test, 1 minute to 24 hours
 * @param onUntested policy when a node could not be tested by then
 */
public record PreflightSpec(String test, Duration timeout, OnUntested onUntested) {
  /** A test that hangs, or cannot be run, says nothing of its node. */
  public enum OnUntested {
    /** The job starts there all the same. */
    START,
    /** The job gives its place up, avoids such nodes for an hour, and waits. */
    WAIT
  }
}
