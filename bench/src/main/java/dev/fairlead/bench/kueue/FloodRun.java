package dev.fairlead.bench.kueue;

import dev.fairlead.bench.Spread;
import dev.fairlead.bench.host.Cost;
import java.util.List;
import java.util.Locale;

/**
 * A run with jobs that are all submitted immediately, with quota for all of them.
 *
 * @param jobs that ran
 * @param admitting seconds from the first submit to the last admission
 * @param wall seconds from the first submit to the last end
 * @param cost from the first submit to the last end
 * @param peakMiB of memory of service and database
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

  static String json(List<FloodRun> runs) {
    return String.format(
        Locale.ROOT,
        "{\"bench\":\"kueue-flood\",\"runs\":%d,\"jobs\":%d,\"admittedPerSecond\":%.1f,"
            + "\"endedPerSecond\":%.1f,\"cpuMillis\":%.3f,\"memoryMiB\":%.0f}",
        runs.size(),
        runs.getFirst().jobs,
        Spread.of(runs, FloodRun::admitted).median(),
        Spread.of(runs, FloodRun::ended).median(),
        Spread.of(runs, FloodRun::cpuMillis).median(),
        Spread.of(runs, FloodRun::peakMiB).median());
  }
}
