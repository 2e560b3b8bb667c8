package dev.fairlead.bench.health;

import dev.fairlead.bench.Ending;
import dev.fairlead.bench.Figure;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.List;

/**
 * {@code make bench-health}: one service on a PostgreSQL with durable commits and simulated
 * clusters. Everything uses REST except the existing devices and events. Exits with 0 when the
 * bounds hold, 1 when not.
 */
public final class HealthBench {
  private static final PrintStream OUT = System.out;

  private HealthBench() {}

  /**
   * @param args number of devices, number of events, each empty for the default. {@code --quick}
   */
  public static void main(String[] args) {
    Ending.after(
        "bench-health",
        () -> {
          boolean quick = args.length > 2 && args[2].equals("--quick");
          HealthRun run = measure(Size.of(args[0], args[1], quick));
          List<Figure> figures = run.figures();
          figures.forEach(figure -> OUT.println(figure.line()));
          OUT.println(run.json());
          OUT.println("load average " + load());
          return figures.stream().allMatch(Figure::good);
        });
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static HealthRun measure(Size size) throws InterruptedException, SQLException {
    try (LocalFairlead fairlead =
        LocalFairlead.start("bench-health", List.of(), EmbeddedDatabase.durable())) {
      BrokenGangs gangs = new BrokenGangs(fairlead.api());
      gangs.prepare();
      BrokenGangs.Times gang = gangs.measure(size.gangs());
      Monitors monitors = new Monitors(fairlead, size);
      long from = System.nanoTime();
      monitors.prepare();
      OUT.printf(
          "%,d GPUs with %,d events stored in %d s%n",
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
