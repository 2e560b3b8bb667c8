package dev.fairlead.kernel.errors;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.explanation.Reason;
import java.util.Locale;

/** Addresses of the pages that explain a code or a reason. */
public final class ReasonPages {
  private static final String ERRORS = "/docs/reasons/errors.html#";
  private static final String WAITING = "/docs/reasons/waiting.html#";

  private ReasonPages() {}

  public static String of(ProblemCode code) {
    return ERRORS + code.name().toLowerCase(Locale.ROOT);
  }

  public static String of(Reason reason) {
    return WAITING + reason.name().toLowerCase(Locale.ROOT);
  }
}
