package dev.fairlead.work.placement.node;

import dev.fairlead.kernel.resources.ResourceVector;

/** Amounts on one node, with its GPUs by slot. */
final class SlotAmounts {
  static final SlotAmounts NONE = new SlotAmounts(new int[0], new int[0], ResourceVector.ZERO);

  private final int[] milli;
  private final int[] slices;
  private final ResourceVector request;

  /**
   * @param milli thousandths of each GPU
   * @param slices mask of each GPU
   * @param request all other resources
   */
  SlotAmounts(int[] milli, int[] slices, ResourceVector request) {
    this.milli = milli;
    this.slices = slices;
    this.request = request;
  }

  int[] milli() {
    return milli;
  }

  int[] slices() {
    return slices;
  }

  ResourceVector request() {
    return request;
  }
}
