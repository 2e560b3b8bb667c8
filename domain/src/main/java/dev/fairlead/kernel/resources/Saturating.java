package dev.fairlead.kernel.resources;

/**
 * Arithmetic that stops at the ends of {@code long} instead of wrapping. {@link #UNLIMITED} stays
 * unlimited.
 */
public final class Saturating {
  /** Represents "no limit". Additions and subtractions leave it unchanged. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private Saturating() {}

  public static long plus(long a, long b) {
    if (a == UNLIMITED || b == UNLIMITED) {
      return UNLIMITED;
    }
    long sum = a + b;
    boolean overflow = ((a ^ sum) & (b ^ sum)) < 0;
    return overflow ? (a < 0 ? Long.MIN_VALUE : UNLIMITED) : sum;
  }

  /**
   * {@code a - b}. An unlimited {@code a} remains unlimited, an unlimited {@code b} gives the
   * lowest value.
   */
  public static long minus(long a, long b) {
    if (a == UNLIMITED) {
      return UNLIMITED;
    }
    if (b == UNLIMITED) {
      return Long.MIN_VALUE;
    }
    long difference = a - b;
    boolean overflow = ((a ^ b) & (a ^ difference)) < 0;
    return overflow ? (a < 0 ? Long.MIN_VALUE : UNLIMITED) : difference;
  }

  /** {@code a * n} for {@code n >= 0}. */
  public static long times(long a, long n) {
    if (n == 0) {
      return 0;
    }
    long high = Math.multiplyHigh(a, n);
    long low = a * n;
    boolean fits = high == 0 && low >= 0 || high == -1 && low < 0;
    return fits ? low : (a < 0 ? Long.MIN_VALUE : UNLIMITED);
  }
}
