package dev.fairlead.verify;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Percentiles of durations by nearest rank: the smallest value that at least the given percentage
 * of values does not exceed.
 */
public final class Percentiles {
  private final List<Duration> sorted;

  public Percentiles(Collection<Duration> durations) {
    sorted = durations.stream().sorted().toList();
  }

  /** Returns the seconds of the usual percentiles, for a line of JSON. */
  @JsonValue
  SortedMap<String, Double> seconds() {
    SortedMap<String, Double> seconds = new TreeMap<>();
    for (int percent : new int[] {50, 95, 99}) {
      seconds.put("p" + percent, at(percent).toNanos() / 1e9);
    }
    return seconds;
  }

  public int count() {
    return sorted.size();
  }

  /**
   * Returns the percentile, zero without values.
   *
   * @param percent above 0, at most 100
   */
  public Duration at(double percent) {
    if (percent <= 0 || percent > 100) {
      throw new IllegalArgumentException("percent is " + percent + ", not above 0 and at most 100");
    }
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.isEmpty() ? Duration.ZERO : sorted.get(Math.max(1, rank) - 1);
  }
}
