package dev.fairlead.placement.routing;

/**
 * Where the search over the flavors of a queue stops; it always stops where a request fits within
 * quota.
 *
 * @param stopAtBorrowing the first flavor that fits by borrowing is taken
 * @param stopAtPreemption the first flavor where evictions help is taken
 * @param preferPreemption of several, borrowing less counts more than evicting nobody
 * @param evictWhileBorrowing evictions are considered where the request borrows even after them
 */
public record FlavorSearch(
    boolean stopAtBorrowing,
    boolean stopAtPreemption,
    boolean preferPreemption,
    boolean evictWhileBorrowing) {

  boolean stopsAt(Standing standing) {
    boolean borrows = standing.height() > 0;
    if (standing.fit() == Fit.FITS) {
      return !borrows || stopAtBorrowing;
    }
    return standing.fit().evicts() && stopAtPreemption && (!borrows || stopAtBorrowing);
  }
}
