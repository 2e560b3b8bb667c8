package dev.fairlead.verify.engine.cases.form;

import org.jspecify.annotations.Nullable;

/**
 * Result of a case.
 *
 * @param missing the fact that the product or the harness does not support, null if none
 * @param why the expected and the actual result, empty when they agree
 */
public record Verdict(boolean agrees, @Nullable String missing, String why) {
  public static final Verdict AGREES = new Verdict(true, null, "");

  public static Verdict differs(String why) {
    return new Verdict(false, null, why);
  }

  public static Verdict notExpressible(String fact) {
    return new Verdict(false, fact, "not expressible: " + fact);
  }

  /** Compares by {@code equals}. */
  public static Verdict of(Object expected, Object found) {
    return expected.equals(found) ? AGREES : differs("expected " + expected + ", found " + found);
  }
}
