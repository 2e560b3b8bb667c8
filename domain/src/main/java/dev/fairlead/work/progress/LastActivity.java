package dev.fairlead.work.progress;

import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.work.output.ProgressReport;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The last activity of an attempt: the latest of its program and its GPUs. Pure. Activity that is
 * not known completely is unknown.
 *
 * @param at time of the activity
 * @param seenUntil time up to which reports show that no later activity followed
 */
public record LastActivity(Instant at, Instant seenUntil) {
  /** Metric with the seconds since the last activity that the program knows. */
  static final String IDLE_SECONDS = "idle_seconds";

  /** Metric that is at least 1 if {@link #IDLE_SECONDS} includes the use of the GPUs. */
  static final String GPU_SEEN = "gpu_seen";

  /** Maximum age of a relevant report or sample. */
  static final Duration FRESH = Duration.ofMinutes(2);

  private static final double MOST_SECONDS = Duration.ofDays(365).toSeconds();
  private static final double MILLIS = 1000;

  /**
   * Returns null if it is unknown: without a report of the last two minutes, or if nothing shows
   * the use of the GPUs.
   *
   * @param report last report of the program, null if none
   * @param gpus whether the attempt has GPUs
   * @param sampled GPU use of the attempt, null if it was not sampled
   */
  public static @Nullable LastActivity of(
      @Nullable ProgressReport report, boolean gpus, @Nullable Efficiency sampled, Instant now) {
    if (report == null || !fresh(report.at(), now)) {
      return null;
    }
    SortedMap<String, Double> metrics = report.progress().metrics();
    double idle = metrics.getOrDefault(IDLE_SECONDS, -1.0);
    if (idle < 0) {
      return null;
    }
    Instant active = report.at().minusMillis(Math.round(Math.min(idle, MOST_SECONDS) * MILLIS));
    if (gpus && sampled != null && fresh(sampled.sampledAt(), now)) {
      Instant since = sampled.idleSince();
      Instant used = since == null ? sampled.sampledAt() : since;
      return new LastActivity(
          used.isAfter(active) ? used : active,
          sampled.sampledAt().isBefore(report.at()) ? sampled.sampledAt() : report.at());
    }
    return gpus && metrics.getOrDefault(GPU_SEEN, 0.0) < 1
        ? null
        : new LastActivity(active, report.at());
  }

  private static boolean fresh(Instant at, Instant now) {
    return !at.isBefore(now.minus(FRESH)) && !at.isAfter(now);
  }
}
