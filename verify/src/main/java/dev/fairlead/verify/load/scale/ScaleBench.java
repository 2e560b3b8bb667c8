package dev.fairlead.verify.load.scale;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.growth.Series;
import dev.fairlead.verify.load.growth.Watch;
import dev.fairlead.verify.load.smoke.HeapInUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * {@code make bench-scale SCALE=s MINUTES=m}: 100,000 waiting and 60,000 running jobs on 10,000
 * nodes of 8 GPUs, with 200 ends and 200 submits in each second, or a part of all of this. Prints
 * cycles, the time from submit to placement, each pause with its cause, heap and growth. Exits with
 * 0 if jobs were placed as fast as they were submitted.
 */
public final class ScaleBench {
  private static final int MINUTES = 10;
  private static final int MOST_MINUTES = 20;

  /** Time after which filling stops and the current state is measured. */
  private static final Duration MOST_FILLING = Duration.ofMinutes(15);

  private static final int SAMPLES = 10;
  private static final double BOUND = 0.10;

  /** Required share of placed jobs. The rest may have been submitted a moment ago. */
  private static final double PLACED = 0.95;

  private final Report report;

  private ScaleBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-scale", "160,000 jobs on 10,000 nodes")
        .option("scale", "part of the load, by default 1")
        .option("minutes", "measured minutes, by default 10")
        .option("quick", "1: a fiftieth of the load for one minute")
        .measure(
            args,
            (arguments, report) -> {
              Size size = Size.of(arguments);
              int minutes = arguments.number("minutes", MINUTES, 1, MOST_MINUTES);
              new ScaleBench(report).measure(size, arguments.has("quick") ? 1 : minutes);
            });
  }

  private void measure(Size size, int minutes) throws IOException, InterruptedException {
    report.format(
        "%d nodes of 8 GPUs, %d jobs to run, %d to wait, %d to come a second for %d min",
        size.nodes(), size.running(), size.queued(), size.perSecond(), minutes);
    report.line(
        "limits: requests per minute unlimited, active jobs of tenant and project 1,000,000 (PATCH"
            + " of their limits), writes to the cluster unlimited, it is simulated. JVM untuned,"
            + " PostgreSQL commits durably");
    Path stops = WorkTree.scratch("bench-scale").resolve("safepoints.log");
    try (LocalFairlead fairlead =
        LocalFairlead.start(
            "bench-scale", List.of(Pauses.jvmFlag(stops)), EmbeddedDatabase.durable())) {
      ScaleWorld world = new ScaleWorld(fairlead.api(), size);
      world.prepare();
      fill(fairlead, world, size);
      Pauses.log(fairlead.database());
      balance(fairlead, world, size, Duration.ofMinutes(minutes), stops);
    }
  }

  private void fill(LocalFairlead fairlead, ScaleWorld world, Size size)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    world.fill();
    report.format(
        "%d jobs submitted in %.0f s",
        size.running() + size.queued(), (System.nanoTime() - began) / 1e9);
    long until = began + MOST_FILLING.toNanos();
    long running = Arrivals.runningNow(fairlead.database());
    while (running < size.running() && System.nanoTime() < until) {
      Thread.sleep(Duration.ofSeconds(1));
      running = Arrivals.runningNow(fairlead.database());
    }
    double took = (System.nanoTime() - began) / 1e9;
    report.format(
        "%d jobs run after %.0f s (%.0f started a second), heap after collection %.0f MB",
        running, took, running / took, HeapInUse.megabytes(fairlead.service().pid()));
    /* The first jobs do not end before that time. */
    Thread.sleep(Duration.ofMillis(Math.max(0, size.filling().toMillis() - (long) (took * 1e3))));
  }

  /**
   * Measures times first, then growth under the same load: heaps are compared after forced
   * collections, and each stops a service of this size for seconds.
   */
  private void balance(
      LocalFairlead fairlead, ScaleWorld world, Size size, Duration time, Path stops)
      throws IOException, InterruptedException {
    Processes processes = Processes.of(fairlead);
    Watch watch = new Watch(fairlead, false);
    Cost before = processes.cost();
    Instant since = Instant.now();
    boolean placed;
    try (Cycles cycles = Cycles.watch(fairlead.service().managementAddress())) {
      world.comeAndGo(time);
      Cost cost = processes.cost().since(before);
      Arrivals arrivals = Arrivals.of(fairlead.database(), since.toEpochMilli() / 1e3);
      print(cycles, arrivals, cost, time);
      report.line("pauses of " + Pauses.LEAST_MILLIS + " ms and more, by their end");
      Pauses.lines(since, cycles.stagesSeen(), stops, fairlead.database()).forEach(report::line);
      double came = size.perSecond() * (double) time.toSeconds();
      placed = arrivals.allPlaced().count() >= PLACED * came;
    }
    Duration growing = time.dividedBy(2);
    Thread sampling = Thread.ofPlatform().daemon().start(() -> sample(watch, growing));
    world.comeAndGo(growing);
    sampling.join();
    List<Series.Verdict> verdicts = watch.judge(BOUND);
    report.line(Series.HEADER);
    verdicts.forEach(verdict -> report.line(verdict.row()));
    report.require(placed);
  }

  private static void sample(Watch watch, Duration time) {
    try {
      for (int i = 0; i < SAMPLES; i++) {
        watch.sample();
        Thread.sleep(time.dividedBy(SAMPLES + 1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private void print(Cycles cycles, Arrivals arrivals, Cost cost, Duration time) {
    Percentiles cycle = new Percentiles(cycles.seen());
    Percentiles placed = arrivals.allPlaced();
    double seconds = time.toSeconds();
    report.format(
        "cycle of the scheduler: p50 %.0f ms, p99 %.0f ms, longest %.0f ms (%d cycles)",
        millis(cycle, 50), millis(cycle, 99), millis(cycle, 100), cycle.count());
    report.format(
        "submit to placed: p50 %.0f ms, p99 %.0f ms (%d jobs, %d submitted and not placed yet)",
        millis(placed, 50), millis(placed, 99), placed.count(), arrivals.unplaced());
    arrivals
        .placed()
        .forEach((minute, times) -> {
          Percentiles of = new Percentiles(times);
          report.format(
              "  came in minute %2d: p50 %.0f ms, p99 %.0f ms",
              minute, millis(of, 50), millis(of, 99));
        });
    report.format(
        "at the end %d run and %d wait, placed %.1f/s, ended %.1f/s",
        arrivals.running(),
        arrivals.queued(),
        placed.count() / seconds,
        arrivals.ended() / seconds);
    report.format(
        "CPU: service %.2f cores, database %.2f, simulated cluster %.2f",
        cost.serviceMillis() / 1e3 / seconds,
        cost.databaseMillis() / 1e3 / seconds,
        cost.simulatedMillis() / 1e3 / seconds);
    report.line(cost.split());
    report.json(
        "scale",
        Map.of(
            "cycle",
            cycle,
            "placed",
            placed,
            "placedPerSecond",
            placed.count() / seconds,
            "endedPerSecond",
            arrivals.ended() / seconds));
  }

  private static double millis(Percentiles of, double percent) {
    return of.at(percent).toNanos() / 1e6;
  }
}
