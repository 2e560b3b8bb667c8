package dev.fairlead.verify.load.growth;

import java.util.List;

/**
 * The least-squares line through samples.
 *
 * @param slope slope of the line: value for each unit of {@link Sample#at}
 * @param standardError standard error of the slope
 * @param mean mean of the values
 * @param span between the first sample and the last
 */
public record Trend(double slope, double standardError, double mean, double span) {
  private static final int FEWEST = 3;

  /** A value at a time, or after a number of jobs. */
  public record Sample(double at, double value) {}

  /**
   * @throws IllegalArgumentException for fewer than three samples, or all at one time
   */
  public static Trend of(List<Sample> samples) {
    int n = samples.size();
    double meanAt = samples.stream().mapToDouble(Sample::at).average().orElse(0);
    double mean = samples.stream().mapToDouble(Sample::value).average().orElse(0);
    double squares = samples.stream().mapToDouble(s -> square(s.at() - meanAt)).sum();
    if (n < FEWEST || squares == 0) {
      throw new IllegalArgumentException(
          n + " samples make no trend. A trend needs three points at different times.");
    }
    double slope =
        samples.stream().mapToDouble(s -> (s.at() - meanAt) * (s.value() - mean)).sum() / squares;
    double left =
        samples.stream()
            .mapToDouble(s -> square(s.value() - mean - slope * (s.at() - meanAt)))
            .sum();
    double span = samples.getLast().at() - samples.getFirst().at();
    return new Trend(slope, Math.sqrt(left / (n - 2) / squares), mean, span);
  }

  private static double square(double value) {
    return value * value;
  }

  /** Climb of the line from the first sample to the last. */
  public double climb() {
    return slope * span;
  }

  /** The climb as a part of the mean, 0 if all values are 0. */
  public double relative() {
    return mean == 0 ? 0 : climb() / mean;
  }

  /** Returns whether the climb is significant: the slope exceeds three of its standard errors. */
  public boolean climbs() {
    return slope > 3 * standardError;
  }
}
