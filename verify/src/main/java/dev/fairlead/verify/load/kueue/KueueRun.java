package dev.fairlead.verify.load.kueue;

import dev.fairlead.verify.Spread;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.PeakMemory.Peak;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * One replay.
 *
 * @param jobs that ran
 * @param wall seconds from the first submit to the last end
 * @param waits mean seconds to the last admission
 * @param usePercent mean use of the nominal quota of all queues
 * @param evictions attempts evicted for other jobs
 * @param cost from the first submit to the last end
 * @param peak peak of memory in that time
 */
record KueueRun(
    long jobs, double wall, Waits waits, double usePercent, long evictions, Cost cost, Peak peak) {

  /** Waits by class. */
  record Waits(double small, double medium, double large) {}

  /** A figure with its name, for tables and the line of JSON. */
  private record Column(
      String key, String title, int digits, ToDoubleFunction<KueueRun> of, String asShipped) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("wallSeconds", "wall, s", 1, KueueRun::wall, "359"),
          new Column("jobsPerSecond", "jobs/s", 1, KueueRun::rate, "42"),
          new Column("waitSmall", "mean wait small, s", 2, r -> r.waits.small, "206"),
          new Column("waitMedium", "mean wait medium, s", 2, r -> r.waits.medium, "80"),
          new Column("waitLarge", "mean wait large, s", 2, r -> r.waits.large, "24"),
          new Column("usePercent", "mean use of quota, %", 1, KueueRun::usePercent, "57"),
          new Column("evictions", "evictions", 0, KueueRun::evictions, "-"),
          new Column(
              "serviceCpuSeconds",
              "CPU of the service, s",
              1,
              r -> r.cost.serviceMillis() / 1e3,
              "-"),
          new Column(
              "databaseCpuSeconds",
              "CPU of the database, s",
              1,
              r -> r.cost.databaseMillis() / 1e3,
              "-"),
          new Column(
              "simulatedCpuSeconds",
              "CPU of the simulated cluster, s",
              1,
              r -> r.cost.simulatedMillis() / 1e3,
              "-"),
          new Column("cpuMillis", "CPU of both a job, ms", 2, KueueRun::cpuMillis, "31"),
          new Column("serviceMiB", "memory of the service, MiB", 0, r -> r.peak.serviceMiB(), "-"),
          new Column(
              "databaseMiB", "memory of the database, MiB", 0, r -> r.peak.databaseMiB(), "-"),
          new Column("memoryMiB", "peak memory of both, MiB", 0, r -> r.peak.bothMiB(), "5222"));

  double rate() {
    return jobs / wall;
  }

  double cpuMillis() {
    return cost.bothMillis() / jobs;
  }

  /** All figures in a line. */
  String line() {
    StringBuilder line = new StringBuilder();
    for (Column column : COLUMNS) {
      line.append(line.isEmpty() ? "" : "; ").append(column.title).append(' ');
      line.append(number(column, column.of.applyAsDouble(this)));
    }
    return line.toString();
  }

  private static String number(Column column, double value) {
    return String.format(Locale.ROOT, "%." + column.digits + "f", value);
  }

  /** Returns the spread of each figure. */
  static Map<String, Spread> spreads(List<KueueRun> runs) {
    Map<String, Spread> spreads = new LinkedHashMap<>();
    COLUMNS.forEach(column -> spreads.put(column.key, Spread.of(runs, column.of)));
    return spreads;
  }

  /** Median and spread of each figure, with the figures quoted for Kueue. */
  static String table(List<KueueRun> runs) {
    StringBuilder table = new StringBuilder();
    String form = "%-34s %26s %20s%n";
    table.append(
        String.format(form, "median (least-most) of " + runs.size(), "Fairlead", "Kueue, quoted"));
    for (Column column : COLUMNS) {
      String own = Spread.of(runs, column.of).text(column.digits);
      table.append(String.format(form, column.title, own, column.asShipped));
    }
    return table.toString().stripTrailing();
  }
}
