package dev.fairlead.verify.load.kueue;

import dev.fairlead.verify.Spread;
import dev.fairlead.verify.host.Cost;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Submits all jobs immediately, with quota for all.
 *
 * @param jobs that ran
 * @param admitting seconds from the first submit to the last admission
 * @param wall seconds from the first submit to the last end
 * @param cost from the first submit to the last end
 * @param peakMiB peak memory of service and database in MiB
 */
record FloodRun(long jobs, double admitting, double wall, Cost cost, double peakMiB) {
  double admitted() {
    return jobs / admitting;
  }

  double ended() {
    return jobs / wall;
  }

  private double cpuMillis() {
    return cost.bothMillis() / jobs;
  }

  /** Returns the spread of each figure. */
  static Map<String, Spread> spreads(List<FloodRun> runs) {
    return Map.of(
        "admittedPerSecond", Spread.of(runs, FloodRun::admitted),
        "endedPerSecond", Spread.of(runs, FloodRun::ended),
        "cpuMillis", Spread.of(runs, FloodRun::cpuMillis),
        "memoryMiB", Spread.of(runs, FloodRun::peakMiB));
  }

  static String text(List<FloodRun> runs) {
    return String.format(
        Locale.ROOT,
        "flood of %d jobs, median (least-most) of %d: admitted/s %s, ended/s %s, CPU a job %s ms,"
            + " peak memory %s MiB",
        runs.getFirst().jobs,
        runs.size(),
        Spread.of(runs, FloodRun::admitted).text(0),
        Spread.of(runs, FloodRun::ended).text(0),
        Spread.of(runs, FloodRun::cpuMillis).text(2),
        Spread.of(runs, FloodRun::peakMiB).text(0));
  }
}
