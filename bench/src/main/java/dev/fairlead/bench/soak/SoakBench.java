package dev.fairlead.bench.soak;

import dev.fairlead.bench.Ending;
import dev.fairlead.bench.growth.Series;
import dev.fairlead.bench.growth.Series.Verdict;
import dev.fairlead.bench.growth.Watch;
import dev.fairlead.bench.host.Machine;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * {@code make bench-soak MINUTES=m}: mixed load through REST, and after a third of the time samples
 * of the resources of service and database. Exits with 0 when nothing grows beyond the bound, 1
 * when something does or a request was refused. {@code QUICK=1}: two and a half minutes, with a
 * wider bound because such a short time shows little.
 */
public final class SoakBench {
  private static final PrintStream OUT = System.out;
  private static final int SAMPLES = 40;
  private static final double BOUND = 0.10;
  private static final double QUICK_BOUND = 0.30;
  private static final Duration QUICK_TIME = Duration.ofSeconds(150);
  private static final int MOST_MINUTES = 7 * 24 * 60;

  /** Smaller tables are listed only when they grow. */
  private static final double SMALL_MB = 1;

  private SoakBench() {}

  public static void main(String[] args) {
    Ending.after(
        "bench-soak",
        () -> {
          boolean quick = args.length > 1 && args[1].equals("--quick");
          Duration time = quick ? QUICK_TIME : minutes(args.length == 0 ? "" : args[0]);
          return soak(time, quick ? QUICK_BOUND : BOUND);
        });
  }

  /**
   * @throws IllegalArgumentException unless it is 3 to 10,080 minutes
   */
  static Duration minutes(String text) {
    try {
      int minutes = text.isEmpty() ? 30 : Integer.parseInt(text);
      if (minutes >= 3 && minutes <= MOST_MINUTES) {
        return Duration.ofMinutes(minutes);
      }
    } catch (NumberFormatException notANumber) { // reported below
    }
    throw new IllegalArgumentException(
        "MINUTES is \"" + text + "\", not a number of minutes from 3 to " + MOST_MINUTES);
  }

  private static boolean soak(Duration time, double bound)
      throws IOException, InterruptedException {
    OUT.println(Machine.text());
    OUT.println("limits: requests per minute unlimited, JVM untuned. PostgreSQL commits durably");
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
      OUT.println(
          watch.ended() + " jobs ended, " + watch.active() + " had not; " + load.refusals());
      OUT.println(Machine.text());
      return load.sound() && verdicts.stream().noneMatch(Verdict::grows);
    }
  }

  private static void print(List<Verdict> verdicts, Duration time, double bound) {
    OUT.printf(
        Locale.ROOT,
        "%d s, the first third as warm-up. Growth: a least-squares line that rises by more than %.0f %% of the mean over "
            + "the samples with three standard errors; for memory per job, a second half that retains this much more per job than "
            + "the first%n",
        time.toSeconds(),
        bound * 100);
    OUT.println(Series.HEADER);
    List<Verdict> shown =
        verdicts.stream()
            .filter(v -> v.grows() || v.mean() >= SMALL_MB || !v.name().endsWith(", MB"))
            .toList();
    shown.forEach(verdict -> OUT.println(verdict.row()));
    List<String> growing = verdicts.stream().filter(Verdict::grows).map(Verdict::name).toList();
    OUT.println(growing.isEmpty() ? "nothing grows" : "GROWS: " + String.join("; ", growing));
    shown.forEach(verdict -> OUT.println(verdict.json()));
  }
}
