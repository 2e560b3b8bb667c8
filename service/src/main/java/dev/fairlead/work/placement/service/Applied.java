package dev.fairlead.work.placement.service;

import dev.fairlead.work.placement.decision.Decision;
import java.util.List;

/**
 * Result of the write of a plan.
 *
 * @param written number of stored decisions
 * @param dropped number of outdated decisions, to be planned again immediately
 * @param failures decisions whose write threw
 */
public record Applied(int written, int dropped, List<Failure> failures) {
  /** A decision that could not be written, with the cause. */
  public record Failure(Decision decision, Throwable cause) {}

  public Applied {
    failures = List.copyOf(failures);
  }

  /**
   * Returns if a decision was written or none failed.
   *
   * @throws IllegalStateException when every write of the plan threw: then no single job is at
   *     fault, and the pass has failed
   */
  void failWhenNothingWasWritten() {
    if (written == 0 && !failures.isEmpty()) {
      throw new IllegalStateException(
          "none of " + failures.size() + " decisions could be written",
          failures.getFirst().cause());
    }
  }
}
