package dev.fairlead.work.placement.share;

import dev.fairlead.kernel.resources.ResourceNames;
import org.jspecify.annotations.Nullable;

/**
 * The share of a node of the quota tree in borrowed resources.
 *
 * @param ratio largest ratio over resources of the borrowed amount to the amount that could be
 *     lent, in thousandths, 0 if nothing is borrowed
 * @param weight milli, 1000 = one, 0 = always last
 * @param dominant resource of the largest ratio, null if nothing is borrowed
 */
public record Share(double ratio, long weight, @Nullable String dominant)
    implements Comparable<Share> {
  /** The share of a node that borrows nothing. */
  public static final Share NOTHING = none(1000);

  private static final double MILLI = 1000;

  /**
   * Returns the share including past use.
   *
   * @param part average fraction of the group's possible offer that was used
   * @param itsWeight weight of the node, in thousandths
   */
  public Share with(double part, long itsWeight) {
    if (infinite() || itsWeight <= 0) {
      return new Share(ratio + part * MILLI, weight, dominant);
    }
    double more = part * MILLI * Math.max(1, weight) / itsWeight;
    return new Share(
        ratio + more, Math.max(1, weight), dominant == null ? ResourceNames.GPU : dominant);
  }

  static Share none(long weight) {
    return new Share(0, weight, null);
  }

  public boolean borrowing() {
    return dominant != null;
  }

  /**
   * Returns whether the node borrows although its weight is zero. Such a share is larger than every
   * finite share.
   */
  public boolean infinite() {
    return borrowing() && weight <= 0;
  }

  /** Returns whether nothing is borrowed, so that no other queue can reclaim. */
  public boolean isZero() {
    return !infinite() && weighted() <= 0;
  }

  /** Returns the ratio divided by the weight, rounded up to whole thousandths. */
  public long permille() {
    return (long) Math.ceil(weighted());
  }

  @Override
  public int compareTo(Share other) {
    if (infinite() != other.infinite()) {
      return infinite() ? 1 : -1;
    }
    return infinite()
        ? Double.compare(ratio, other.ratio)
        : Double.compare(weighted(), other.weighted());
  }

  private double weighted() {
    return ratio <= 0 ? 0 : ratio * MILLI / weight;
  }
}
