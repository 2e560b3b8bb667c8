package dev.fairlead.fleet.node.gpu;

/**
 * One device of a node.
 *
 * @param index position on its node, from 0, stable
 * @param serial serial number or UUID, {@code <node>/<index>} if the cluster reports none
 * @param allocatedMilli thousandths held by live attempts, 0..1000
 * @param slices allocated MIG slices in the format of {@link
 *     dev.fairlead.kernel.resources.MigGeometry}, not 0 for a partitioned GPU
 */
public record Gpu(int index, String serial, GpuState state, int allocatedMilli, int slices) {
  public static final int WHOLE_MILLI = 1000;

  /** Creates a GPU that is not partitioned. */
  public Gpu(int index, String serial, GpuState state, int allocatedMilli) {
    this(index, serial, state, allocatedMilli, 0);
  }

  public boolean usable() {
    return state == GpuState.HEALTHY || state == GpuState.DEGRADED;
  }

  /**
   * Returns whether this amount can be added to the current allocations: free slices of a
   * partitioned or idle GPU, or free thousandths of a GPU that is not partitioned.
   */
  public boolean takes(int milli, int moreSlices) {
    boolean way =
        moreSlices == 0
            ? slices == 0
            : (slices != 0 || allocatedMilli == 0) && (slices & moreSlices) == 0;
    return way && milli <= freeMilli();
  }

  public int freeMilli() {
    return usable() ? WHOLE_MILLI - allocatedMilli : 0;
  }
}
