package dev.fairlead.verify.load.health;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Report;
import java.time.Duration;
import java.util.List;

/**
 * Results of one run.
 *
 * @param gangs gangs that lost a node
 * @param faults from the report to the response that the node is isolated, with stored events
 * @param stream stored events a second, each as a separate row
 * @param repeats events a second that were counted in existing rows
 * @param lookups lookups of a GPU by its serial number or UUID
 * @param histories histories of such a GPU
 */
record HealthRun(
    Size size,
    BrokenGangs.Times gangs,
    Percentiles faults,
    double stream,
    double repeats,
    Percentiles lookups,
    Percentiles histories)
    implements Report.Results {
  @Override
  public List<Figure> figures() {
    return List.of(
        Figure.atMost("fault posted to quarantine committed, p50", seconds(faults, 50), "s", 20),
        Figure.atMost("fault posted to quarantine committed, p95", seconds(faults, 95), "s", 20),
        Figure.atMost("the same where a gang runs, p95", seconds(gangs.toIsolated(), 95), "s", 20),
        Figure.atMost(
            "isolated to next attempt RUNNING with a spare, p50",
            seconds(gangs.toRunning(), 50),
            "s",
            60),
        Figure.atMost(
            "isolated to next attempt RUNNING with a spare, p95",
            seconds(gangs.toRunning(), 95),
            "s",
            60),
        Figure.atLeast("events stored, a row each, 500 a request", stream, "1/s", 5_000),
        Figure.atLeast("events counted with such a row, 500 a request", repeats, "1/s", 5_000),
        Figure.atMost("GPU by serial number or UUID, p99", millis(lookups, 99), "ms", 100),
        Figure.atMost("history of a GPU, p99", millis(histories, 99), "ms", 100));
  }

  private static double seconds(Percentiles times, int percent) {
    return times.at(percent).toNanos() / (double) Duration.ofSeconds(1).toNanos();
  }

  private static double millis(Percentiles times, int percent) {
    return times.at(percent).toNanos() / (double) Duration.ofMillis(1).toNanos();
  }
}
