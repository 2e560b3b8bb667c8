package dev.fairlead.bench.replay;

/**
 * Members of equal size.
 *
 * @param gpusEach 1..8
 */
public record GangShape(int members, int gpusEach) {
  private static final int GPUS_OF_A_NODE = 8;

  /** On nodes of 8 GPUs. */
  public static GangShape of(int gpus) {
    return of(gpus, GPUS_OF_A_NODE);
  }

  /**
   * Up to as many GPUs as a node has are one member, more are members of the largest divisor of the
   * count that a node holds.
   */
  public static GangShape of(int gpus, int ofANode) {
    int each = Math.min(gpus, ofANode);
    while (gpus % each != 0) {
      each--;
    }
    return new GangShape(gpus / each, each);
  }
}
