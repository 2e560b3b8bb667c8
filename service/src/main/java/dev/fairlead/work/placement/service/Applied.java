package dev.fairlead.work.placement.service;

import dev.fairlead.work.placement.Decision;
import java.util.List;

/**
 * What came of a plan.
 *
 * @param written how many decisions were stored
 * @param dropped how many no longer held, to be planned again at once
 * @param failures those whose write threw
 */
public record Applied(int written, int dropped, List<Failure> failures) {
  /** One decision that could not be written, and why. */
  public record Failure(Decision decision, Throwable cause) {}

  public Applied {
    failures = List.copyOf(failures);
  }

  /**
   * Returns when a decision was written or none failed.
   *
   * @throws IllegalStateException when every write of the plan threw: then no single job is at
   *     fault, and the turn has failed
   */
  void failWhenNothingWasWritten() {
    if (written == 0 && !failures.isEmpty()) {
      throw new IllegalStateException(
          "none of " + failures.size() + " decisions could be written",
          failures.getFirst().cause());
    }
  }
}
