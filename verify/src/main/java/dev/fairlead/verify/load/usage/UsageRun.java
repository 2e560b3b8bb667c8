package dev.fairlead.verify.load.usage;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Medians;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Report;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;

/**
 * Results of one run.
 *
 * @param reports duration of each, by name
 * @param rollUp roll-up of one hour by the loop
 * @param verify verification of one hour by a request
 * @param decisions decisions of the finished jobs
 */
record UsageRun(
    UsedYear.Stored stored,
    SequencedMap<String, Percentiles> reports,
    Duration rollUp,
    Duration verify,
    AccountingLoops.Compared live,
    DecisionRows decisions)
    implements Report.Results {
  private static final double YEAR_SECONDS = 1;
  private static final double OPEN_HOUR_SECONDS = 60;

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private double alone() {
    return Medians.of(live.alone(), AccountingLoops.Lives::rate);
  }

  private double beside() {
    return Medians.of(live.beside(), AccountingLoops.Lives::rate);
  }

  /** Loss of the live path by the loops in per cent. Below 0 by chance. */
  private double cost() {
    return 100 * (1 - beside() / alone());
  }

  @Override
  public List<Figure> figures() {
    List<Figure> figures = new ArrayList<>();
    reports.forEach((name, took) -> {
      figures.add(Figure.atMost(name + ", p50", seconds(took.at(50)), "s", YEAR_SECONDS));
      figures.add(Figure.atMost(name + ", p99", seconds(took.at(99)), "s", YEAR_SECONDS));
    });
    figures.add(
        Figure.atMost("roll-up of an hour by the loop", seconds(rollUp), "s", OPEN_HOUR_SECONDS));
    figures.add(
        Figure.atLeast("hours compared with their intervals", 1 / seconds(verify), "1/s", 0));
    figures.add(Figure.atLeast("whole lives, loops held", alone(), "1/s", 0));
    figures.add(Figure.atLeast("whole lives while the loops run", beside(), "1/s", 0));
    figures.add(Figure.atMost("share of the rate that the loops cost", cost(), "%", 10));
    figures.add(
        Figure.atMost(
            "CPU of a life with the loops to CPU without",
            Medians.of(live.beside(), AccountingLoops.Lives::cpuMillis)
                / Medians.of(live.alone(), AccountingLoops.Lives::cpuMillis),
            "x",
            2));
    figures.add(
        Figure.atMost(
            "decisions of a job, bytes at the median of " + decisions.jobs(),
            (double) decisions.median(),
            "B",
            DecisionRows.GOAL));
    figures.add(
        Figure.atLeast("decisions of a job, bytes at p95", (double) decisions.p95(), "B", 0));
    return figures;
  }
}
