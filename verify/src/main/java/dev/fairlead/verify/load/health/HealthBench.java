package dev.fairlead.verify.load.health;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.sql.SQLException;
import java.util.List;

/**
 * {@code make bench-health}: one service on a PostgreSQL with durable commits and simulated
 * clusters. Everything uses REST except the existing devices and events. Exits with 0 when the
 * bounds hold, 1 when not.
 */
public final class HealthBench {
  private final Report report;

  private HealthBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-health", "faults, events and lookups of GPUs")
        .option("gpus", "known GPUs, by default 100000")
        .option("events", "stored events, by default 10000000")
        .option("quick", "1: a smaller fleet")
        .measure(
            args,
            (arguments, report) -> {
              HealthRun run = new HealthBench(report).measure(Size.of(arguments));
              report.results("health", run);
            });
  }

  private HealthRun measure(Size size) throws InterruptedException, SQLException {
    try (LocalFairlead fairlead =
        LocalFairlead.start("bench-health", List.of(), EmbeddedDatabase.durable())) {
      BrokenGangs gangs = new BrokenGangs(fairlead.api());
      gangs.prepare();
      BrokenGangs.Times gang = gangs.measure(size.gangs());
      Monitors monitors = new Monitors(fairlead, size);
      long from = System.nanoTime();
      monitors.prepare();
      report.format(
          "%,d GPUs with %,d events stored in %d s",
          size.gpus(), size.events(), (System.nanoTime() - from) / 1_000_000_000);
      EventStream stream = monitors.stream();
      return new HealthRun(
          size,
          gang,
          monitors.faults(size.faults()),
          stream.distinct(size.stream()),
          stream.repeated(size.stream()),
          monitors.lookups(size.reads()),
          monitors.histories(size.reads()));
    }
  }
}
