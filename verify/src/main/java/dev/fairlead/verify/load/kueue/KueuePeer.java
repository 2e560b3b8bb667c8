package dev.fairlead.verify.load.kueue;

import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Packages;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;

/**
 * Kueue's own performance test, which its module has, on this machine: {@code
 * tools/backends/kueue.sh measure}. Kueue runs with its default client limit.
 *
 * @param wall seconds from the first to the last event
 * @param waits mean seconds to the admission
 * @param kueueMillis CPU of Kueue
 * @param allMillis CPU of Kueue, API server, etcd and the runner, which creates and ends the jobs
 * @param kueueMiB memory of Kueue at its peak
 */
record KueuePeer(
    double wall, KueueRun.Waits waits, double kueueMillis, double allMillis, double kueueMiB) {
  private static final String SCRIPT = "tools/backends/kueue.sh";
  private static final double KIB_OF_MIB = 1024;

  /**
   * Runs it.
   *
   * @param part part of the jobs of each kind
   */
  static KueuePeer measure(double part) throws Packages.Unavailable, InterruptedException {
    Path folder = WorkTree.root().resolve("build/bench-kueue");
    Path out = Packages.of(SCRIPT, "measure", Double.toString(part), folder.toString());
    Properties result = new Properties();
    try (Reader lines = Files.newBufferedReader(out.resolve("result"))) {
      result.load(lines);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return of(result);
  }

  /**
   * @throws IllegalStateException when a figure is missing
   */
  static KueuePeer of(Properties result) {
    return new KueuePeer(
        number(result, "wall") / 1e3,
        new KueueRun.Waits(
            number(result, "small") / 1e3,
            number(result, "medium") / 1e3,
            number(result, "large") / 1e3),
        number(result, "cpu"),
        number(result, "all"),
        number(result, "kib") / KIB_OF_MIB);
  }

  private static double number(Properties result, String key) {
    String text = result.getProperty(key, "");
    if (text.isBlank()) {
      throw new IllegalStateException("Kueue's result has no " + key + ": " + result);
    }
    return Double.parseDouble(text);
  }

  /** Its figures, and their ratio to a run of Fairlead. */
  String text(KueueRun own) {
    return String.format(
        Locale.ROOT,
        """
        Kueue, measured in this run: wall %.1f s, mean waits %.1f, %.1f and %.1f s, CPU %.2f ms a job (%.2f with API server, etcd and the runner), %.0f MiB of memory without them
        Kueue / Fairlead: wall %.2f, CPU %.2f (%.2f with API server, etcd and the runner; Fairlead with its database)\
        """,
        wall,
        waits.small(),
        waits.medium(),
        waits.large(),
        kueueMillis / own.jobs(),
        allMillis / own.jobs(),
        kueueMiB,
        wall / own.wall(),
        kueueMillis / own.jobs() / own.cpuMillis(),
        allMillis / own.jobs() / own.cpuMillis());
  }
}
