package dev.fairlead.work.placement.share;

import dev.fairlead.kernel.resources.ResourceNames;
import org.jspecify.annotations.Nullable;

/**
 * How far a node of the quota tree lives on what others lend.
 *
 * @param ratio largest ratio over resources of what is borrowed to what could be lent, in
 *     thousandths; 0 when nothing is borrowed
 * @param weight milli, 1000 = one; 0 = always last
 * @param dominant resource of the largest ratio; null when nothing is borrowed
 */
public record Share(double ratio, long weight, @Nullable String dominant)
    implements Comparable<Share> {
  /** The share of a node that borrows nothing. */
  public static final Share NOTHING = none(1000);

  private static final double MILLI = 1000;

  /**
   * The same with what was used up to now.
   *
   * @param part of what the group could offer that was used on average
   * @param itsWeight of the node, milli
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

  /** Borrows although its weight is zero: larger than every finite share. */
  public boolean infinite() {
    return borrowing() && weight <= 0;
  }

  /** Nothing borrowed, so no other queue has a claim on it. */
  public boolean isZero() {
    return !infinite() && weighted() <= 0;
  }

  /** Ratio divided by weight, rounded up to whole thousandths. */
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
