package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SequencedMap;

/**
 * {@code make bench-usage}: one service on a PostgreSQL with durable commits and an existing year
 * of use. All other steps use REST and the loops. Exits with 0 when the bounds hold, 1 when not.
 */
public final class UsageBench {
  private static final int FEW = 3;

  private final Report report;

  private UsageBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-usage", "reports and roll-ups of a year of use")
        .option("gpus", "GPUs, by default 100000")
        .option("intervals", "stored intervals, by default 10000000")
        .option("quick", "1: a tenth of both")
        .measure(
            args,
            (arguments, report) -> {
              UsageRun run = new UsageBench(report).measure(UsageSize.of(arguments));
              report.results("usage", run);
            });
  }

  private UsageRun measure(UsageSize size) throws InterruptedException, SQLException {
    try (LocalFairlead fairlead =
        LocalFairlead.start("bench-usage", List.of(), EmbeddedDatabase.durable())) {
      UsedYear.Stored stored = store(fairlead, size);
      AccountingLoops.prepare(fairlead);
      AccountingLoops loops = new AccountingLoops(fairlead);
      YearReports reports = new YearReports(fairlead.api(), fairlead.database());
      report.format("days added up in %d s", loops.days().toSeconds());
      AccountingLoops.RolledUp rolledUp = loops.rollUp(size.hours());
      Duration rollUp = rolledUp.each();
      report.format(
          "roll-up of an hour %.3f s, of %d that end at %s, the last that may be closed",
          rollUp.toNanos() / 1e9, rolledUp.hours(), rolledUp.end());
      Duration verify = reports.verify(size.days());
      report.format("comparing an hour %.3f s", verify.toNanos() / 1e9);
      SequencedMap<String, Percentiles> took = reports.measure(size.reads());
      AccountingLoops.Compared live = loops.compare(size.rounds(), size.phase());
      DecisionRows decisions = DecisionRows.of(fairlead.database());
      return new UsageRun(stored, took, rollUp, verify, live, decisions);
    }
  }

  private UsedYear.Stored store(LocalFairlead fairlead, UsageSize size)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    try (BlockedLoops _ = BlockedLoops.hold(fairlead.database())) {
      UsedYear.Stored stored = new UsedYear(fairlead.database()).store(size);
      report.format(
          "%,d GPUs with %,d intervals and %,d hours of use by key, %,d of them of the tenant that"
              + " reads, stored in %d s",
          size.gpus(),
          stored.intervals(),
          stored.hours(),
          stored.own(),
          (System.nanoTime() - start) / 1_000_000_000);
      new YearReports(fairlead.api(), fairlead.database())
          .withHoursAlone(FEW)
          .forEach((name, took) ->
              report.format(
                  "before days are added up, %s: p50 %d ms", name, took.at(50).toMillis()));
      return stored;
    }
  }
}
