package dev.fairlead.figures;

/**
 * The size of a test of {@code docs/explanation/guarantees.md}: small in the build, and the
 * documented figure, or a part of it, in {@code make test-long} ({@code -Dfairlead.long=1}).
 */
public final class Figure {
  private static final double PART = Double.parseDouble(System.getProperty("fairlead.long", "0"));

  private Figure() {}

  /** Tests with this tag have a long form. */
  public static final String TAG = "figure";

  /**
   * Returns the number of repetitions: {@code brief} in the build, {@code whole} for the full
   * figure.
   */
  public static int times(int brief, int whole) {
    return Math.max(brief, (int) Math.min(whole, Math.round(whole * PART)));
  }

  /** Returns whether more than the build's part is requested. */
  public static boolean asked() {
    return PART > 0;
  }

  /** Prints the result if more than the build's part was requested. */
  public static void seen(String row, String what) {
    if (asked()) {
      System.out.println("figure " + row + ": " + what);
    }
  }
}
