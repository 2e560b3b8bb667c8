package dev.fairlead.bench.cases;

import org.jspecify.annotations.Nullable;

/**
 * What a case came to.
 *
 * @param missing the fact that the product has no counterpart for, null where it has all
 * @param why what was expected and what came; empty when they agree
 */
record Verdict(boolean agrees, @Nullable Missing missing, String why) {
  static final Verdict AGREES = new Verdict(true, null, "");

  static Verdict differs(String why) {
    return new Verdict(false, null, why);
  }

  static Verdict notExpressible(Missing missing) {
    return new Verdict(false, missing, "not expressible: " + missing.text());
  }

  /** Compares by {@code equals}. */
  static Verdict of(Object expected, Object found) {
    return expected.equals(found) ? AGREES : differs("expected " + expected + ", found " + found);
  }
}
