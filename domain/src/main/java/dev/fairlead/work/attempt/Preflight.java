package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node test for a job that waits to start on the node.
 *
 * @param of the element that waits
 * @param since time when the tested reservation was created
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
    /** The test could not be completed, which proves nothing about the node. */
    UNTESTED
  }

  /**
   * Returns the tests without failures from before the last release of their node. As for a {@link
   * PlaceFailure}, the release confirms that the machine is fit for use.
   *
   * @param released when each of these nodes was last released
   */
  public static List<Preflight> sinceRelease(
      List<Preflight> tests, Function<Set<NodeId>, SortedMap<NodeId, Instant>> released) {
    Set<NodeId> failed =
        tests.stream()
            .filter(test -> test.verdict == Verdict.FAILED)
            .map(Preflight::node)
            .collect(Collectors.toCollection(TreeSet::new));
    if (failed.isEmpty()) {
      return tests;
    }
    SortedMap<NodeId, Instant> releases = released.apply(failed);
    return tests.stream()
        .filter(test ->
            test.verdict != Verdict.FAILED
                || test.at.isAfter(releases.getOrDefault(test.node, Instant.MIN)))
        .toList();
  }
}
