package dev.fairlead.work.serving.signal;

import java.util.Collection;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * One number of the replicas of a version.
 *
 * @param of how the values of pods are combined
 * @param series name of a metric, as in {@link #NAME}
 */
public record Signal(Function of, String series) implements Comparable<Signal> {
  /** Names of metrics (https://prometheus.io/docs/concepts/data_model/). */
  public static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]{0,199}";

  private static final Pattern VALID = Pattern.compile(NAME);
  private static final Comparator<Signal> ORDER =
      Comparator.comparing(Signal::of).thenComparing(Signal::series);

  /** Aggregation over the values of a pod, then over replicas. */
  public enum Function {
    SUM,
    AVG,
    MAX,
    /** Sum of the increases per second over the last minute. */
    RATE;

    /** Combines values of several replicas. */
    public double of(Collection<Double> values) {
      return switch (this) {
        case SUM, RATE -> values.stream().mapToDouble(Double::doubleValue).sum();
        case AVG -> values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
        case MAX -> values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
      };
    }
  }

  public Signal {
    if (!VALID.matcher(series).matches()) {
      throw new IllegalArgumentException(series + " is no name of a metric");
    }
  }

  @Override
  public int compareTo(Signal other) {
    return ORDER.compare(this, other);
  }
}
