package dev.fairlead.verify.load.replay;

import dev.fairlead.verify.Percentiles;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Result of a replay.
 *
 * @param submitted jobs that the API accepted
 * @param byState jobs by their current state
 * @param waits from submission to the first RUNNING, of jobs that ran. Wall time
 * @param utilisation GPU time of running jobs divided by GPU time of the fleet, from the first
 *     submission to the last end, 0..1
 */
record ReplayReport(
    int submitted, SortedMap<String, Integer> byState, Percentiles waits, double utilisation) {
  private static final Set<String> FINAL = Set.of("SUCCEEDED", "FAILED", "CANCELLED");

  static ReplayReport of(int submitted, List<JsonNode> jobs, int fleetGpus) {
    SortedMap<String, Integer> byState = new TreeMap<>();
    List<Duration> waits = new ArrayList<>();
    double gpuSeconds = 0;
    Instant first = Instant.MAX;
    Instant last = Instant.MIN;
    for (JsonNode job : jobs) {
      byState.merge(job.path("state").asString(""), 1, Integer::sum);
      Instant created = Instant.parse(job.path("createdAt").asString());
      first = created.isBefore(first) ? created : first;
      if (job.path("startedAt").isString()) {
        Instant started = Instant.parse(job.path("startedAt").asString());
        Instant ended =
            job.path("endedAt").isString()
                ? Instant.parse(job.path("endedAt").asString())
                : started;
        waits.add(Duration.between(created, started));
        gpuSeconds +=
            job.path("gpus").path("requested").asDouble(0)
                * seconds(Duration.between(started, ended));
        last = ended.isAfter(last) ? ended : last;
      }
    }
    double window = last.isAfter(first) ? seconds(Duration.between(first, last)) * fleetGpus : 0;
    return new ReplayReport(
        submitted, byState, new Percentiles(waits), window == 0 ? 0 : gpuSeconds / window);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  /** Returns whether every accepted job has ended, with any result. */
  boolean allEnded() {
    int ended =
        byState.entrySet().stream()
            .filter(e -> FINAL.contains(e.getKey()))
            .mapToInt(e -> e.getValue())
            .sum();
    return ended == submitted;
  }

  /** Lines to print. Waits are in the trace's time. */
  List<String> lines(int speedup, Duration wall) {
    return List.of(
        "submitted    " + submitted,
        "by state     " + byState,
        "wait p50     " + traceTime(50, speedup),
        "wait p90     " + traceTime(90, speedup),
        "wait p99     " + traceTime(99, speedup),
        "utilisation  " + String.format(Locale.ROOT, "%.1f %%", utilisation * 100),
        "wall time    " + text(wall));
  }

  private String traceTime(double percent, int speedup) {
    Duration wait = waits.at(percent);
    return text(wait.multipliedBy(speedup)) + " of the trace (" + text(wait) + " here)";
  }

  private static String text(Duration d) {
    if (d.toHours() >= 1) {
      return d.toHours() + " h " + d.toMinutesPart() + " min";
    }
    return d.toMinutes() >= 1
        ? d.toMinutes() + " min " + d.toSecondsPart() + " s"
        : String.format(Locale.ROOT, "%.2f s", seconds(d));
  }
}
