package dev.fairlead.fleet.node;

/**
 * One device of a node.
 *
 * @param index position on its node, from 0; stable
 * @param serial serial number or UUID; where the cluster tells none, {@code <node>/<index>}
 * @param allocatedMilli thousandths of it that live attempts hold, 0..1000
 * @param slices MIG slices among that, as {@link dev.fairlead.kernel.resources.MigGeometry} writes
 *     them; not 0 for a GPU that is cut
 */
public record Gpu(int index, String serial, GpuState state, int allocatedMilli, int slices) {
  public static final int WHOLE_MILLI = 1000;

  /** One that is not cut. */
  public Gpu(int index, String serial, GpuState state, int allocatedMilli) {
    this(index, serial, state, allocatedMilli, 0);
  }

  public boolean usable() {
    return state == GpuState.HEALTHY || state == GpuState.DEGRADED;
  }

  /**
   * Whether so much of it can be taken beside what is: slices that nobody has, of a GPU that is cut
   * or idle; thousandths that nobody has, of one that is not cut.
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
