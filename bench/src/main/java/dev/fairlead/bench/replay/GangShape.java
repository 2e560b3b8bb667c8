package dev.fairlead.bench.replay;

/**
 * Members of equal size.
 *
 * @param gpusEach 1..8
 */
record GangShape(int members, int gpusEach) {
  private static final int GPUS_OF_A_NODE = 8;

  /**
   * Up to 8 GPUs are one member, more are members of the largest divisor of the count that is 8 or
   * less.
   */
  static GangShape of(int gpus) {
    int each = Math.min(gpus, GPUS_OF_A_NODE);
    while (gpus % each != 0) {
      each--;
    }
    return new GangShape(gpus / each, each);
  }
}
