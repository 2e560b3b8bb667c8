package dev.fairlead.work.output;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a program in its own numbers.
 *
 * @param step number of completed steps, 0 to {@link #MOST_STEPS}, null if not reported
 * @param total number of all steps, at least {@code step}, null if unknown
 * @param metrics finite numbers by name, at most {@link #MOST_METRICS}
 */
public record Progress(
    @Nullable Long step, @Nullable Long total, SortedMap<String, Double> metrics) {
  /** A call without numbers. */
  public static final Progress NONE = new Progress(null, null, Collections.emptySortedMap());

  /** 2^53: larger whole numbers are not exact in JSON. */
  public static final long MOST_STEPS = 1L << 53;

  public static final int MOST_METRICS = 16;

  /** Names of metrics. */
  public static final Pattern METRIC = Pattern.compile("[A-Za-z][A-Za-z0-9_./-]{0,62}");

  public Progress {
    metrics = Collections.unmodifiableSortedMap(new TreeMap<>(metrics));
  }

  /** Returns whether the report has no numbers at all. */
  public boolean empty() {
    return step == null && total == null && metrics.isEmpty();
  }
}
