package dev.fairlead.verify.load.soak;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.load.growth.Series;
import dev.fairlead.verify.load.growth.Series.Verdict;
import dev.fairlead.verify.load.growth.Watch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * {@code make bench-soak MINUTES=m}: mixed load through REST, and after a third of the time samples
 * of the resources of service and database. Exits with 0 when nothing grows beyond the bound, 1
 * when something does or a request was refused. {@code QUICK=1}: two and a half minutes, with a
 * wider bound because a short run reveals little.
 */
public final class SoakBench {
  private static final int SAMPLES = 40;
  private static final double BOUND = 0.10;
  private static final double QUICK_BOUND = 0.30;
  private static final Duration QUICK_TIME = Duration.ofSeconds(150);
  private static final int MOST_MINUTES = 7 * 24 * 60;

  /** Smaller tables are listed only when they grow. */
  private static final double SMALL_MB = 1;

  private final Report report;

  private SoakBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-soak", "growth of resources under mixed load")
        .option("minutes", "measured minutes, by default 30")
        .option("quick", "1: two and a half minutes")
        .measure(
            args,
            (arguments, report) -> {
              Duration time = Duration.ofMinutes(arguments.number("minutes", 30, 3, MOST_MINUTES));
              boolean quick = arguments.has("quick");
              new SoakBench(report).soak(quick ? QUICK_TIME : time, quick ? QUICK_BOUND : BOUND);
            });
  }

  private void soak(Duration time, double bound) throws IOException, InterruptedException {
    report.line("limits: requests per minute unlimited, JVM untuned. PostgreSQL commits durably");
    try (LocalFairlead fairlead =
            LocalFairlead.start("bench-soak", List.of(), EmbeddedDatabase.durable());
        SoakLoad load = SoakLoad.start(fairlead.api())) {
      Thread.sleep(time.dividedBy(3));
      Watch watch = new Watch(fairlead, true);
      Duration measured = time.minus(time.dividedBy(3));
      long until = System.nanoTime() + measured.toNanos();
      do {
        watch.sample();
        Thread.sleep(measured.dividedBy(SAMPLES));
      } while (System.nanoTime() < until);
      List<Verdict> verdicts = watch.judge(bound);
      print(verdicts, time, bound);
      report.line(
          watch.ended() + " jobs ended, " + watch.active() + " had not; " + load.refusals());
      report.require(load.sound() && verdicts.stream().noneMatch(Verdict::grows));
    }
  }

  private void print(List<Verdict> verdicts, Duration time, double bound) {
    report.format(
        "%d s, the first third as warm-up. Growth: a least-squares line that rises by more than"
            + " %.0f %% of the mean over the samples with three standard errors; for memory per"
            + " job, a second half that retains this much more per job than the first",
        time.toSeconds(), bound * 100);
    report.line(Series.HEADER);
    List<Verdict> shown =
        verdicts.stream()
            .filter(v -> v.grows() || v.mean() >= SMALL_MB || !v.name().endsWith(", MB"))
            .toList();
    shown.forEach(verdict -> report.line(verdict.row()));
    List<String> growing = verdicts.stream().filter(Verdict::grows).map(Verdict::name).toList();
    report.line(growing.isEmpty() ? "nothing grows" : "GROWS: " + String.join("; ", growing));
    shown.forEach(verdict -> report.json("growth", verdict));
  }
}
