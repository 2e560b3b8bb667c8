package dev.fairlead.placement.routing;

/**
 * How a request stands, with what it has to borrow.
 *
 * @param height of the smallest subtree that has room; 0 = the queue itself, nothing is borrowed
 */
public record Standing(Fit fit, int height) {
  static final Standing BEST = new Standing(Fit.FITS, 0);

  /** Of two resources of one request the worse decides. */
  public Standing worse(Standing other) {
    Fit worst = fit.compareTo(other.fit) <= 0 ? fit : other.fit;
    return new Standing(worst, Math.max(height, other.height));
  }

  /**
   * Whether this is strictly better.
   *
   * @param preferPreemption borrowing less counts more than evicting nobody
   */
  boolean betterThan(Standing other, boolean preferPreemption) {
    if (fit == Fit.DOES_NOT_FIT || other.fit == Fit.DOES_NOT_FIT) {
      return fit != Fit.DOES_NOT_FIT;
    }
    if ((fit == Fit.NO_VICTIMS) != (other.fit == Fit.NO_VICTIMS)) {
      return other.fit == Fit.NO_VICTIMS;
    }
    int byFit = fit.compareTo(other.fit);
    int byHeight = Integer.compare(other.height, height);
    int first = preferPreemption ? byHeight : byFit;
    int second = preferPreemption ? byFit : byHeight;
    return first != 0 ? first > 0 : second > 0;
  }
}
