package dev.fairlead.bench.cases;

/**
 * What a case came to.
 *
 * @param why what was expected and what came; empty when they agree
 */
record Verdict(boolean agrees, String why) {
  static final Verdict AGREES = new Verdict(true, "");

  static Verdict differs(String why) {
    return new Verdict(false, why);
  }

  /** Compares by {@code equals}. */
  static Verdict of(Object expected, Object found) {
    return expected.equals(found) ? AGREES : differs("expected " + expected + ", found " + found);
  }
}
