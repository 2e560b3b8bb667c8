package dev.fairlead.verify.load.kueue;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Packages;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.Spread;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Machine;
import dev.fairlead.verify.host.PeakMemory;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.kueue.Generator.Kind;
import dev.fairlead.verify.load.kueue.Generator.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code make bench-kueue}: the performance test of Kueue's scheduler with Kueue itself, then
 * against Fairlead, {@value #RUNS} times, and a flood of jobs with quota for all. {@code QUICK=1}:
 * a tenth of the jobs, once. Each run has a separate service and database. Prints each run, medians
 * with their spread, Kueue's figures, and the goals. Exits with 0 when all jobs succeeded, even if
 * a goal was missed.
 */
public final class KueueBench {
  private static final int RUNS = 3;
  private static final double QUICK_PART = 0.1;
  private static final int FLOOD = 6_000;
  private static final int QUICK_FLOOD = 1_500;
  private static final int FLOOD_NOMINAL = 10_000;

  private static final String QUOTED =
      """
      Quoted for Kueue 0.19.2 on two idle cores: the replay in 359 s as shipped
      (42 jobs/s, mean waits 206, 80 and 24 s, 57 % of quota used, 5.1 GiB and 31 ms of CPU a job
      with API server and etcd), and in 238 s with a raised client limit. The flood reached 50
      jobs/s as shipped, and at least 157 with the raised limit.
      Its test creates each workload by a separate request. Here one request has all jobs that are due together.\
      """;

  private static final String LIMITS =
      """
      limits: requests in a minute unlimited (FAIRLEAD_API_REQUESTS_PER_MINUTE=0), active jobs of
      a project 100,000, the default, and writes to the cluster unlimited, since simulated
      clusters have no gate. JVM untuned, PostgreSQL with fsync, synchronous_commit and full_page_writes on. 1,500 jobs before each run warm the service up.\
      """;

  private final Report report;

  private KueueBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-kueue", "the performance test of Kueue's scheduler in Kueue and in Fairlead")
        .option("quick", "1: a tenth of the jobs, once")
        .measure(
            args, (arguments, report) -> new KueueBench(report).measure(arguments.has("quick")));
  }

  private void measure(boolean quick) throws InterruptedException {
    report.line(LIMITS);
    List<Workload> workloads = Generator.workloads(quick ? QUICK_PART : 1);
    double bound = Generator.work(workloads).toMillis() / 1e3;
    report.format(
        "%,d workloads in %d queues of %d cohorts, with %.0f s of work",
        workloads.size(), Generator.COHORTS * Generator.QUEUES, Generator.COHORTS, bound);
    KueuePeer kueue = kueue(quick ? QUICK_PART : 1);
    List<KueueRun> runs = new ArrayList<>();
    List<FloodRun> floods = new ArrayList<>();
    for (int i = 0; i < (quick ? 1 : RUNS); i++) {
      runs.add(replay(workloads));
      floods.add(flood(quick ? QUICK_FLOOD : FLOOD));
    }
    report.line(KueueRun.table(runs));
    if (kueue != null) {
      report.line(kueue.text(runs.getFirst()));
    }
    report.line(FloodRun.text(floods));
    report.line(QUOTED);
    goals(runs, floods, quick ? bound * 85 / 66 : 85);
    report.json("kueue", KueueRun.spreads(runs));
    report.json("kueue-flood", FloodRun.spreads(floods));
  }

  /** Null where Kueue cannot be built. */
  private @Nullable KueuePeer kueue(double part) throws InterruptedException {
    try {
      KueuePeer measured = KueuePeer.measure(part);
      report.line("load average " + Machine.loadAverage() + " after Kueue");
      return measured;
    } catch (Packages.Unavailable unavailable) {
      report.line("Kueue was not measured: " + unavailable.getMessage());
      return null;
    }
  }

  private void goals(List<KueueRun> runs, List<FloodRun> floods, double wall) {
    report.line("goals:");
    List<Figure> goals =
        List.of(
            Figure.atMost("wall", Spread.of(runs, KueueRun::wall).median(), "s", wall),
            Figure.atLeast(
                "flood, admitted a second",
                Spread.of(floods, FloodRun::admitted).median(),
                "jobs/s",
                1_000),
            Figure.atMost(
                "peak memory of service and database",
                Spread.of(runs, r -> r.peak().bothMiB()).median(),
                "MiB",
                1_024),
            Figure.atMost(
                "CPU of service and database per job",
                Spread.of(runs, KueueRun::cpuMillis).median(),
                "ms",
                5));
    goals.forEach(goal -> report.line(goal.line()));
  }

  private KueueRun replay(List<Workload> workloads) throws InterruptedException {
    try (Installation installation = Installation.start(Generator.NOMINAL, true)) {
      Processes processes = Processes.of(installation.fairlead);
      try (PeakMemory memory = PeakMemory.watch(processes)) {
        Cost before = processes.cost();
        Duration late = installation.submit(workloads);
        installation.awaitAll();
        Cost cost = processes.cost().since(before);
        KueueRun run = run(installation, workloads.size(), cost, memory.peak());
        report.format(
            "load average %.2f, submits late by %.1f s at most%n%s%n%s",
            Machine.loadAverage(), late.toMillis() / 1e3, run.line(), cost.split());
        return run;
      }
    }
  }

  private static KueueRun run(
      Installation installation, int jobs, Cost cost, PeakMemory.Peak peak) {
    List<JobTimes> lives = new ArrayList<>();
    double held = 0;
    for (Kind kind : Kind.values()) {
      JobTimes each = JobTimes.of(installation.fairlead.database(), kind.label);
      held += each.held() * kind.units;
      lives.add(each);
    }
    double wall =
        lives.stream().mapToDouble(each -> each.times().lastEnd()).max().orElseThrow()
            - lives.stream().mapToDouble(each -> each.times().firstSubmit()).min().orElseThrow();
    KueueRun.Waits waits =
        new KueueRun.Waits(lives.get(0).waited(), lives.get(1).waited(), lives.get(2).waited());
    double use = 100 * held / (wall * Generator.units());
    long evictions = lives.stream().mapToLong(JobTimes::evictions).sum();
    return new KueueRun(jobs, wall, waits, use, evictions, cost, peak);
  }

  private FloodRun flood(int jobs) throws InterruptedException {
    try (Installation installation = Installation.start(FLOOD_NOMINAL, true)) {
      Processes processes = Processes.of(installation.fairlead);
      try (PeakMemory memory = PeakMemory.watch(processes)) {
        Cost before = processes.cost();
        installation.flood("flood", jobs);
        installation.awaitAll();
        Cost cost = processes.cost().since(before);
        JobTimes.Times times = JobTimes.of(installation.fairlead.database(), "flood").times();
        double admitting = times.lastAdmission() - times.firstSubmit();
        double wall = times.lastEnd() - times.firstSubmit();
        FloodRun run = new FloodRun(jobs, admitting, wall, cost, memory.peak().bothMiB());
        report.line("load average " + Machine.loadAverage() + "; " + FloodRun.text(List.of(run)));
        report.line(cost.split());
        return run;
      }
    }
  }
}
