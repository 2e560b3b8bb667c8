package dev.fairlead.work.serving;

/**
 * The sequential test of a new version against the stable version. Each bad request raises the log
 * likelihood ratio of "bad" to "good", each other request lowers it. The alarm is the CUSUM of E.
 * S. Page, "Continuous inspection schemes", Biometrika 41 (1954): it never falls below zero, so a
 * good hour does not hide a bad minute. The evidence is the sequential probability ratio test of A.
 * Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945),
 * and begins again with each step.
 *
 * <p>"Good" is the share of bad requests of the stable version, at least {@value #LEAST_GOOD}.
 * "Bad" is three times that share, at least {@value #LEAST_BAD}. Requests of one report are
 * compared with those of the stable version in the same report too, so that a fault that both share
 * blames neither.
 *
 * @param seen counters at the last report
 * @param canary requests of the new version in this rollout
 * @param stable requests of the stable version in this rollout
 * @param step requests of the new version in this step
 * @param alarm at {@link #ALARM} the new version is bad
 * @param evidence below {@link #GOOD} the new version is good
 */
public record CanaryTest(
    Counters seen,
    TrafficCount canary,
    TrafficCount stable,
    TrafficCount step,
    double alarm,
    double evidence) {
  /** Natural logarithm of 100,000: the odds against a false alarm. */
  static final double ALARM = Math.log(100_000);

  /** Natural logarithm of 1/100: the odds against a bad version that passes a step. */
  static final double GOOD = Math.log(0.01);

  static final double LEAST_GOOD = 0.002;
  static final double LEAST_BAD = 0.05;
  private static final double MOST_GOOD = 0.3;
  private static final double BAD_IS = 3;

  /** Number of requests to the stable version below which its error share is not significant. */
  private static final int FEW = 50;

  /** Bad requests of the stable version in one report that are a fault of both. */
  private static final int FAULT = 5;

  /** The counters of both versions. */
  public record Counters(TrafficCount canary, TrafficCount stable) {}

  static CanaryTest from(Counters now) {
    return new CanaryTest(now, TrafficCount.NONE, TrafficCount.NONE, TrafficCount.NONE, 0, 0);
  }

  /** Returns the test at the start of a step. An alarm remains. */
  CanaryTest atStep(Counters now) {
    return new CanaryTest(now, canary, stable, TrafficCount.NONE, alarm, 0);
  }

  /** Returns the test with the requests since the last report. */
  CanaryTest with(Counters now) {
    TrafficCount fresh = now.canary().since(seen.canary());
    TrafficCount beside = now.stable().since(seen.stable());
    TrafficCount allStable = stable.plus(beside);
    double good =
        Math.min(MOST_GOOD, Math.max(LEAST_GOOD, Math.max(trusted(allStable), shared(beside))));
    double bad = Math.max(LEAST_BAD, BAD_IS * good);
    double change =
        fresh.bad() * Math.log(bad / good)
            + (fresh.requests() - fresh.bad()) * Math.log((1 - bad) / (1 - good));
    return new CanaryTest(
        now,
        canary.plus(fresh),
        allStable,
        step.plus(fresh),
        Math.max(0, alarm + change),
        evidence + change);
  }

  private static double trusted(TrafficCount count) {
    return count.requests() < FEW ? 0 : count.badShare();
  }

  /** A few bad requests of one report are chance, and not a fault. */
  private static double shared(TrafficCount report) {
    return report.bad() < FAULT ? 0 : trusted(report);
  }

  boolean alarms() {
    return alarm >= ALARM;
  }

  boolean passes() {
    return evidence <= GOOD;
  }

  /** Both shares and their counts. */
  String summary() {
    return "%d of %d requests bad, %d of %d of the stable version"
        .formatted(canary.bad(), canary.requests(), stable.bad(), stable.requests());
  }
}
