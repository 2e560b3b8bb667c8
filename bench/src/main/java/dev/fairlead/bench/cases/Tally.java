package dev.fairlead.bench.cases;

/** Counts of one file or tag. */
final class Tally {
  private int passed;
  private int failed;
  private int agree;
  private int differ;

  void add(boolean universal, boolean agrees) {
    if (universal) {
      passed += agrees ? 1 : 0;
      failed += agrees ? 0 : 1;
    } else {
      agree += agrees ? 1 : 0;
      differ += agrees ? 0 : 1;
    }
  }

  String row(String name) {
    return "%-26s %7d %7d %13d %14d".formatted(name, passed, failed, agree, differ);
  }

  /** {@code universal P/T policy A/D}: passed of all, agreeing against differing. */
  String last() {
    return "universal %d/%d policy %d/%d".formatted(passed, passed + failed, agree, differ);
  }

  static String heading() {
    return "%-26s %7s %7s %13s %14s"
        .formatted("", "passed", "failed", "policy-agree", "policy-differ");
  }
}
