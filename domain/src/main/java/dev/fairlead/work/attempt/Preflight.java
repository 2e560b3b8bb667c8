package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A test of a node for a job that waits to start there.
 *
 * @param of the element that waits
 * @param since when the tested reservation was made
 * @param tester the job that runs the test, null before it is submitted
 * @param at when it began, or ended
 */
public record Preflight(
    Reservation.Key of,
    Instant since,
    NodeId node,
    @Nullable JobId tester,
    Verdict verdict,
    Instant at) {
  /** Verdict of the test on the node. */
  public enum Verdict {
    /** Nothing yet. */
    RUNS,
    PASSED,
    FAILED,
    /** It could not be completed, which proves nothing about the node. */
    UNTESTED
  }
}
