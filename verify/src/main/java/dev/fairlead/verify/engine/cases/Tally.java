package dev.fairlead.verify.engine.cases;

/** Counts of one mode. */
final class Tally {
  private int universal;
  private int passed;
  private int policy;
  private int agree;

  void add(boolean isUniversal, boolean agrees) {
    if (isUniversal) {
      universal++;
      passed += agrees ? 1 : 0;
    } else {
      policy++;
      agree += agrees ? 1 : 0;
    }
  }

  /** {@code universal P/T policy A/T}: agreeing cases, of all. */
  String text() {
    return "universal %d/%d policy %d/%d".formatted(passed, universal, agree, policy);
  }

  /** Numbers of cases of either kind. */
  String counts() {
    return "universal %d policy %d".formatted(universal, policy);
  }
}
