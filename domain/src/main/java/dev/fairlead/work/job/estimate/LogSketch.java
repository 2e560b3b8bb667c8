package dev.fairlead.work.job.estimate;

import java.util.stream.IntStream;

/** Amounts of one group, counted by buckets of equal ratio. */
final class LogSketch {
  /** Amounts of the last bucket and above are about 70 million. */
  static final int BUCKETS = 81;

  /** Upper end of a bucket by its lower end. */
  private static final double LOG_RATIO = Math.log(1.25);

  private static final double[] BEGINS =
      IntStream.rangeClosed(0, BUCKETS).mapToDouble(i -> Math.exp(i * LOG_RATIO)).toArray();

  private final double[] weights = new double[BUCKETS];
  private double sum;

  /** Bucket of an amount. Amounts below 1 are in the first bucket. */
  static int bucket(double amount) {
    int bucket = amount <= 1 ? 0 : (int) (Math.log(amount) / LOG_RATIO);
    return Math.min(bucket, BUCKETS - 1);
  }

  /**
   * The prior distribution: half of the amounts that reach any value above the smallest also reach
   * twice that value. Shares by bucket, with a sum of 1.
   */
  static double[] unknown(double smallest) {
    double[] shares = new double[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      double end = i == BUCKETS - 1 ? 0 : Math.min(1, smallest / BEGINS[i + 1]);
      shares[i] = Math.min(1, smallest / BEGINS[i]) - end;
    }
    return shares;
  }

  /** Start of a bucket, or end of the last bucket. */
  static double begin(int bucket) {
    return BEGINS[bucket];
  }

  void add(double amount, double weight) {
    weights[bucket(amount)] += weight;
    sum += weight;
  }

  /** Scales the weight of all earlier amounts. */
  void scale(double by) {
    for (int i = 0; i < BUCKETS; i++) {
      weights[i] *= by;
    }
    sum *= by;
  }

  /** Total weight of the added amounts. */
  double sum() {
    return sum;
  }

  double weight(int bucket) {
    return weights[bucket];
  }
}
