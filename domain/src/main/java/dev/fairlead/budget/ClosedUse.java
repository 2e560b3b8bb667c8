package dev.fairlead.budget;

/**
 * What jobs of a scope used in hours that are closed: nothing of it changes any more.
 *
 * @param fromMillis begin of the period, in milliseconds since 1970
 * @param toMillis uses that ended up to then are counted
 * @param amount thousandths of a GPU times milliseconds since the begin, also of attempts that
 *     still hold GPUs
 */
public record ClosedUse(long fromMillis, long toMillis, long amount) {
  /** Nothing has been added up. */
  public static final ClosedUse NONE = new ClosedUse(0, 0, 0);
}
