package dev.fairlead.verify.load.queue;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Packages;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.load.queue.QueueRun.Submits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code make bench-queue}: complete lifecycles of jobs that do nothing, in Fairlead with a fleet
 * of 1,000 nodes, db-scheduler, JobRunr, and graphile-worker and pg-boss if Node.js is installed,
 * each on a fresh PostgreSQL with durable commits, in turn, {@value #ROUNDS} times. {@code QUICK=1}
 * measures only Fairlead, with two fleets, and exits with 1 when a job costs much more with the
 * larger one.
 */
public final class QueueBench {
  private static final int ROUNDS = 3;
  private static final int JOBS = 4_000;
  private static final int MOST_JOBS = 100_000;
  private static final int NODES = 1_000;
  private static final int QUICK_JOBS = 1_000;
  private static final int FEW_NODES = 28;
  private static final int MANY_NODES = 2_000;

  private record Contender(String name, JobQueue.Start start) {}

  private final Report report;

  private QueueBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-queue", "complete job lifecycles, compared with other job queues")
        .option("jobs", "jobs, a multiple of 1000, by default 4000")
        .option("quick", "1: only Fairlead, with two fleet sizes")
        .measure(
            args,
            (arguments, report) -> {
              int jobs = arguments.multiple("jobs", JOBS, 1_000, MOST_JOBS);
              QueueBench bench = new QueueBench(report);
              report.line(QueueRun.HEADER);
              if (arguments.has("quick")) {
                bench.quick();
              } else {
                bench.contest(jobs);
              }
            });
  }

  private void quick() throws InterruptedException {
    QueueRun few = fairlead(FEW_NODES);
    QueueRun many = fairlead(MANY_NODES);
    Figure rate = Figure.atLeast("whole lives, 500 a request", many.rate(), "jobs/s", 30);
    Figure ratio =
        Figure.atMost(
            "CPU of a life, beside " + MANY_NODES + " nodes to " + FEW_NODES,
            many.cpuMillis() / few.cpuMillis(),
            "x",
            3);
    report.figure(rate);
    report.figure(ratio);
  }

  private QueueRun fairlead(int nodes) throws InterruptedException {
    String name = String.format(Locale.ROOT, "Fairlead, %d nodes", nodes);
    QueueRun run =
        QueueLoad.measure(name, () -> FairleadQueue.start(nodes), Submits.BATCHED, QUICK_JOBS);
    report.line(run.row());
    report.line(run.byTable());
    return run;
  }

  private void contest(int jobs) throws InterruptedException {
    List<Contender> contenders = contenders();
    List<QueueRun> runs = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (Submits submits : Submits.values()) {
        for (Contender contender : contenders) {
          QueueRun run = QueueLoad.measure(contender.name(), contender.start(), submits, jobs);
          runs.add(run);
          report.line(run.row());
        }
      }
      Collections.rotate(contenders, 1);
    }
    report.line("medians of " + ROUNDS);
    for (QueueRun median : medians(runs)) {
      report.line(median.row());
      report.line(median.byTable());
      report.json("queue", median);
    }
  }

  private List<Contender> contenders() throws InterruptedException {
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
      report.line("not run: graphile-worker, pg-boss (" + missing.getMessage() + ")");
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
