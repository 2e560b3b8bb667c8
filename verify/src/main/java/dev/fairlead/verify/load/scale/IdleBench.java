package dev.fairlead.verify.load.scale;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.time.Duration;
import java.util.List;

/**
 * {@code make bench-idle NODES=n MINUTES=m}: the CPU time of a service without jobs whose simulated
 * cluster has 10,000 nodes of 8 GPUs. Exits with 1 if service and database take more than 1 % of a
 * core together.
 */
public final class IdleBench {
  private static final int NODES = 10_000;
  private static final int MOST_NODES = 20_000;
  private static final int MINUTES = 3;
  private static final int MOST_MINUTES = 60;

  /** Time in which the JVM compiles and PostgreSQL analyzes the new nodes. */
  private static final Duration WARM_UP = Duration.ofMinutes(3);

  /** Percentage of a core. */
  private static final double MOST = 1;

  private final Report report;

  private IdleBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-idle", "CPU time of a service without jobs")
        .option("nodes", "simulated nodes, by default 10000")
        .option("minutes", "measured minutes, by default 3")
        .measure(
            args,
            (arguments, report) ->
                new IdleBench(report)
                    .measure(
                        arguments.number("nodes", NODES, 1, MOST_NODES),
                        Duration.ofMinutes(arguments.number("minutes", MINUTES, 1, MOST_MINUTES))));
  }

  private void measure(int nodes, Duration time) throws InterruptedException {
    try (LocalFairlead fairlead =
        LocalFairlead.start("bench-idle", List.of(), EmbeddedDatabase.durable())) {
      BenchFleet.register(fairlead.api(), nodes);
      Thread.sleep(WARM_UP);
      Processes processes = Processes.of(fairlead);
      Cost before = processes.cost();
      Thread.sleep(time);
      Cost cost = processes.cost().since(before);
      report.line(cost.split());
      report.format(
          "the simulated cluster takes %.2f %% of a core, which is not included below",
          percent(cost.simulatedMillis(), time));
      Figure service =
          Figure.atMost("idle service", percent(cost.serviceMillis(), time), "% of a core", MOST);
      Figure database =
          Figure.atMost("its database", percent(cost.databaseMillis(), time), "% of a core", MOST);
      Figure both =
          Figure.atMost("both together", percent(cost.bothMillis(), time), "% of a core", MOST);
      report.figures(List.of(service, database, both));
    }
  }

  private static double percent(double cpuMillis, Duration time) {
    return 100 * cpuMillis / time.toMillis();
  }
}
