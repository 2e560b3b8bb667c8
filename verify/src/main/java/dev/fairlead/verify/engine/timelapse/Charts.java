package dev.fairlead.verify.engine.timelapse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Draws runs: the cluster over time, waits, finish-time fairness. */
public final class Charts {
  private static final List<String> COLOURS =
      List.of("#1f6fb2", "#d1671b", "#2f8f4e", "#7d4fa3", "#a63a3a");
  private static final List<String> PERCENT = List.of("0 %", "25 %", "50 %", "75 %", "100 %");
  private static final double LONGEST_DECADE = 7;

  private Charts() {}

  /**
   * Writes {@code <directory>/<sharing>-cluster.svg} for each run, {@code waits.svg} and {@code
   * fairness.svg} for all.
   */
  public static void write(Collection<Run> runs, Path directory) {
    try {
      Files.createDirectories(directory);
      for (Run run : runs) {
        if (!run.result().moments().isEmpty()) {
          Path file = directory.resolve(run.sharing().text() + "-cluster.svg");
          Files.writeString(file, cluster(run));
        }
      }
      Files.writeString(directory.resolve("waits.svg"), waits(runs));
      Files.writeString(directory.resolve("fairness.svg"), fairness(runs));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String cluster(Run run) {
    List<Interval> moments = run.result().moments();
    double hours = moments.size();
    double gpus = Math.max(1, run.trace().gpus());
    return new SvgChart(
            "%s, %s: GPUs over time".formatted(run.trace().name(), run.sharing().text()),
            hours,
            gpus)
        .axis(
            "days since the first submission",
            marks(hours / 24, ""),
            "GPUs of " + run.trace().gpus(),
            marks(gpus, ""))
        .area("idle on part-used nodes", "#f0c9a8", points(moments, m -> m.used() + m.fragmented()))
        .area("in use", "#8fbbe0", points(moments, Interval::used))
        .line("asked for, waiting", "#a63a3a", points(moments, Interval::waiting))
        .done();
  }

  private static List<SvgChart.Point> points(
      List<Interval> moments, ToDoubleFunction<Interval> of) {
    List<SvgChart.Point> points = new ArrayList<>();
    for (int i = 0; i < moments.size(); i++) {
      points.add(new SvgChart.Point(i + 0.5, of.applyAsDouble(moments.get(i))));
    }
    return points;
  }

  private static List<String> marks(double to, String unit) {
    List<String> marks = new ArrayList<>();
    for (int i = 0; i <= 4; i++) {
      double at = to * i / 4;
      marks.add(String.format(Locale.ROOT, to < 8 ? "%.1f%s" : "%.0f%s", at, unit));
    }
    return marks;
  }

  /** Share of jobs with at most this wait. The axis is logarithmic, from 1 s. */
  static String waits(Collection<Run> runs) {
    SvgChart drawing =
        new SvgChart(title(runs, "share of jobs that waited at most this long"), LONGEST_DECADE, 1)
            .axis(
                "seconds waited",
                List.of("1", "10", "100", "1,000", "10,000", "100,000", "1,000,000", "10,000,000"),
                "share of jobs",
                PERCENT);
    int colour = 0;
    for (Run run : runs) {
      List<Double> waits = new ArrayList<>();
      run.result().outcomes().stream()
          .filter(Outcome::ran)
          .forEach(o -> waits.add(Math.log10((double) Math.max(1, o.waited()))));
      drawing.line(
          run.sharing().text(), COLOURS.get(colour++ % COLOURS.size()), distribution(waits));
    }
    return drawing.done();
  }

  /** Share of jobs with at most this finish-time fairness. The axis ends at 4. */
  static String fairness(Collection<Run> runs) {
    SvgChart drawing =
        new SvgChart(title(runs, "finish-time fairness (1 = as in a private cluster)"), 4, 1)
            .axis(
                "time to the end, shared by private",
                List.of("0", "1", "2", "3", "4 and more"),
                "share of jobs",
                PERCENT);
    int colour = 0;
    for (Run run : runs) {
      drawing.line(
          run.sharing().text(),
          COLOURS.get(colour++ % COLOURS.size()),
          distribution(run.all().fairness()));
    }
    return drawing.done();
  }

  private static String title(Collection<Run> runs, String what) {
    return runs.stream().findFirst().map(r -> r.trace().name() + ": ").orElse("") + what;
  }

  private static List<SvgChart.Point> distribution(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    sorted.sort(null);
    List<SvgChart.Point> points = new ArrayList<>();
    int step = Math.max(1, sorted.size() / 800);
    for (int i = 0; i < sorted.size(); i += step) {
      points.add(new SvgChart.Point(sorted.get(i), (i + 1.0) / sorted.size()));
    }
    if (!sorted.isEmpty()) {
      points.add(new SvgChart.Point(sorted.getLast(), 1));
    }
    return points;
  }
}
