package dev.fairlead.verify.engine.timelapse;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A run as a table. */
final class Table {
  private static final String ROW = "%-12s %7s %7s %9s %9s %9s %9s %11s %11s %8s %8s %6s";

  private Table() {}

  static List<String> of(Run run) {
    List<String> lines = new ArrayList<>();
    lines.add(heading(run));
    lines.add(
        String.format(
            Locale.ROOT,
            ROW,
            "queue",
            "jobs",
            "ran",
            "wait p50",
            "p90",
            "p99",
            "mean",
            "private p99",
            "mean",
            "FTF max",
            "FTF >1",
            "evict"));
    run.queues().forEach(part -> lines.add(row(part)));
    lines.add(row(run.all()));
    return lines;
  }

  private static String heading(Run run) {
    return String.format(
        Locale.ROOT,
        "%s, %s: %,d jobs on %,d GPUs, makespan %s, utilisation %.1f %%, fragmented %.1f %%, %,d"
            + " preemptions; %,d plans in %.0f s",
        run.trace().name(),
        run.sharing().text(),
        run.trace().jobs().size(),
        run.trace().gpus(),
        time(run.makespan()),
        100 * run.utilisation(),
        100 * run.fragmentation(),
        run.all().preemptions(),
        run.result().plans(),
        run.seconds());
  }

  private static String row(Run.Part p) {
    return String.format(
        Locale.ROOT,
        ROW,
        p.queue(),
        p.jobs(),
        p.ran(),
        time(p.waits().at(50)),
        time(p.waits().at(90)),
        time(p.waits().at(99)),
        time((long) p.meanWait()),
        time(p.privateWaits().at(99)),
        time((long) p.privateMeanWait()),
        p.fairness().isEmpty() ? "-" : String.format(Locale.ROOT, "%.2f", p.worst()),
        p.fairness().isEmpty() ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * p.aboveOne()),
        p.preemptions());
  }

  static String time(Duration d) {
    return time(d.toSeconds());
  }

  static String time(long seconds) {
    if (seconds < 120) {
      return seconds + " s";
    }
    if (seconds < 7200) {
      return seconds / 60 + " min";
    }
    return seconds < 48 * 3600L ? seconds / 3600 + " h" : seconds / 86_400 + " d";
  }
}
