package dev.fairlead.job;

/** Amounts of one group, counted by buckets of equal ratio. */
final class LogSketch {
  /** Amounts of the last bucket and above are about 70 million. */
  static final int BUCKETS = 81;

  /** Upper end of a bucket by its lower end. */
  private static final double LOG_RATIO = Math.log(1.25);

  private final double[] weights = new double[BUCKETS];
  private double sum;

  /** Bucket of an amount; those below 1 are in the first. */
  static int bucket(double amount) {
    int bucket = amount <= 1 ? 0 : (int) (Math.log(amount) / LOG_RATIO);
    return Math.min(bucket, BUCKETS - 1);
  }

  /** Where a bucket begins. */
  static double begin(int bucket) {
    return Math.exp(bucket * LOG_RATIO);
  }

  void add(double amount, double weight) {
    weights[bucket(amount)] += weight;
    sum += weight;
  }

  /** From now on all that was added weighs that much of what it did. */
  void scale(double by) {
    for (int i = 0; i < BUCKETS; i++) {
      weights[i] *= by;
    }
    sum *= by;
  }

  /** All that was added, by its weight. */
  double sum() {
    return sum;
  }

  double weight(int bucket) {
    return weights[bucket];
  }
}
