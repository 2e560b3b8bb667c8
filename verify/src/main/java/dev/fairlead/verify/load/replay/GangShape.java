package dev.fairlead.verify.load.replay;

/**
 * Members of equal size.
 *
 * @param gpusEach 1..8
 */
public record GangShape(int members, int gpusEach) {
  private static final int GPUS_OF_A_NODE = 8;

  /** The shape on nodes of 8 GPUs. */
  public static GangShape of(int gpus) {
    return of(gpus, GPUS_OF_A_NODE);
  }

  /**
   * One member for at most the GPUs of a node. For more, members of the largest divisor of the
   * count that fits a node.
   */
  public static GangShape of(int gpus, int ofANode) {
    int each = Math.min(gpus, ofANode);
    while (gpus % each != 0) {
      each--;
    }
    return new GangShape(gpus / each, each);
  }
}
