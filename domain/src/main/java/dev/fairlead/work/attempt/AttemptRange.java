package dev.fairlead.work.attempt;

import org.jspecify.annotations.Nullable;

/**
 * Selects attempts of a job, in the order of element and number.
 *
 * @param element only of this one, null for all
 * @param afterElement begins behind this element's ...
 * @param afterNumber ... attempt of this number. Both -1 for the beginning
 * @param limit at least 1
 */
public record AttemptRange(
    @Nullable Integer element, int afterElement, int afterNumber, int limit) {
  /** Returns the range from the first attempt. */
  public static AttemptRange of(@Nullable Integer element, int limit) {
    return new AttemptRange(element, -1, -1, limit);
  }
}
