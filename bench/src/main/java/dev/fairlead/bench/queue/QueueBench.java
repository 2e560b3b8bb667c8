package dev.fairlead.bench.queue;

import dev.fairlead.bench.Ending;
import dev.fairlead.bench.Figure;
import dev.fairlead.bench.Packages;
import dev.fairlead.bench.queue.QueueRun.Submits;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code make bench-queue}: whole lives of jobs that do nothing, in Fairlead with a fleet of 1,000
 * nodes, db-scheduler, JobRunr, and graphile-worker and pg-boss if Node.js is installed, each on a
 * fresh PostgreSQL with durable commits, in turn, {@value #ROUNDS} times. {@code QUICK=1} measures
 * only Fairlead, with two fleets, and exits with 1 when a job costs much more with the larger one.
 */
public final class QueueBench {
  private static final PrintStream OUT = System.out;
  private static final int ROUNDS = 3;
  private static final int JOBS = 4_000;
  private static final int MOST_JOBS = 100_000;
  private static final int NODES = 1_000;
  private static final int QUICK_JOBS = 1_000;
  private static final int FEW_NODES = 28;
  private static final int MANY_NODES = 2_000;

  private record Contender(String name, JobQueue.Start start) {}

  private QueueBench() {}

  public static void main(String[] args) {
    Ending.after(
        "bench-queue",
        () -> {
          boolean quick = args.length > 0 && args[0].equals("--quick");
          OUT.println(QueueRun.HEADER);
          boolean good = quick ? quick() : contest(jobs(args.length == 0 ? "" : args[0]));
          OUT.println("load average " + load());
          return good;
        });
  }

  /**
   * @throws IllegalArgumentException unless it is a multiple of 1,000 up to 100,000
   */
  static int jobs(String text) {
    try {
      int jobs = text.isEmpty() ? JOBS : Integer.parseInt(text);
      if (jobs > 0 && jobs <= MOST_JOBS && jobs % 1_000 == 0) {
        return jobs;
      }
    } catch (NumberFormatException notANumber) { // reported below
    }
    throw new IllegalArgumentException(
        "JOBS is \"" + text + "\", not a multiple of 1000 up to " + MOST_JOBS);
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static boolean quick() throws InterruptedException {
    QueueRun few = fairlead(FEW_NODES);
    QueueRun many = fairlead(MANY_NODES);
    Figure rate = Figure.atLeast("whole lives, 500 a request", many.rate(), "jobs/s", 30);
    Figure ratio =
        Figure.atMost(
            "CPU of a life, beside " + MANY_NODES + " nodes to " + FEW_NODES,
            many.cpuMillis() / few.cpuMillis(),
            "x",
            3);
    OUT.println(rate.line());
    OUT.println(ratio.line());
    return rate.good() && ratio.good();
  }

  private static QueueRun fairlead(int nodes) throws InterruptedException {
    String name = String.format(Locale.ROOT, "Fairlead, %d nodes", nodes);
    QueueRun run =
        QueueLoad.measure(name, () -> FairleadQueue.start(nodes), Submits.BATCHED, QUICK_JOBS);
    OUT.println(run.row());
    OUT.println(run.byTable());
    return run;
  }

  private static boolean contest(int jobs) throws InterruptedException {
    List<Contender> contenders = contenders();
    List<QueueRun> runs = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Submits submits : Submits.values()) {
        for (Contender contender : contenders) {
          QueueRun run = QueueLoad.measure(contender.name(), contender.start(), submits, jobs);
          runs.add(run);
          OUT.println(run.row());
        }
      }
      Collections.rotate(contenders, 1);
    }
    OUT.println("medians of " + ROUNDS);
    for (QueueRun median : medians(runs)) {
      OUT.println(median.row());
      OUT.println(median.byTable());
      OUT.println(median.json());
    }
    return true;
  }

  private static List<Contender> contenders() throws InterruptedException {
    List<Contender> contenders =
        new ArrayList<>(
            List.of(
                new Contender("Fairlead", () -> FairleadQueue.start(NODES)),
                new Contender("db-scheduler", DbSchedulerQueue::new),
                new Contender("JobRunr", JobRunrQueue::new)));
    try {
      Path packages = NodeQueue.packages();
      for (String system : List.of("graphile-worker", "pg-boss")) {
        contenders.add(new Contender(system, () -> new NodeQueue(system, packages)));
      }
    } catch (Packages.Unavailable missing) {
      OUT.println("not run: graphile-worker, pg-boss (" + missing.getMessage() + ")");
    }
    return contenders;
  }

  /** One for each system and kind of submit, in the order of their first runs. */
  private static List<QueueRun> medians(List<QueueRun> runs) {
    Map<String, List<QueueRun>> groups = new LinkedHashMap<>();
    for (QueueRun run : runs) {
      groups.computeIfAbsent(run.submits() + run.system(), key -> new ArrayList<>()).add(run);
    }
    return groups.values().stream().map(QueueRun::median).toList();
  }
}
