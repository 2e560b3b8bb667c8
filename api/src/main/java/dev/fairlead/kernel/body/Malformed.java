package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.TreeMap;

/** Refusals of unreadable bodies. */
final class Malformed {
  private static final int LONGEST = 300;

  private Malformed() {}

  /** Line and column count from 1. Numbers below 1 are omitted. */
  static Refusal at(int line, int column, String detail) {
    TreeMap<String, Object> where = new TreeMap<>();
    if (line < 1) {
      return of(detail);
    }
    where.put("line", line);
    where.put("column", column);
    return new Refusal(
        ProblemCode.MALFORMED_BODY,
        "Line " + line + ", column " + column + ": " + shortened(detail),
        List.of(),
        where);
  }

  static Refusal of(String detail) {
    return new Refusal(ProblemCode.MALFORMED_BODY, shortened(detail));
  }

  private static String shortened(String detail) {
    return detail.length() <= LONGEST ? detail : detail.substring(0, LONGEST) + " ...";
  }
}
