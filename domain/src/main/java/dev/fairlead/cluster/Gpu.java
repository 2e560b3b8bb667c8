package dev.fairlead.cluster;

/**
 * One device of a node.
 *
 * @param index position on its node, from 0; stable
 * @param serial serial number or UUID; where the cluster tells none, {@code <node>/<index>}
 * @param allocatedMilli thousandths of it that live attempts hold, 0..1000
 */
public record Gpu(int index, String serial, GpuState state, int allocatedMilli) {
  public static final int WHOLE_MILLI = 1000;

  public int freeMilli() {
    boolean usable = state == GpuState.HEALTHY || state == GpuState.DEGRADED;
    return usable ? WHOLE_MILLI - allocatedMilli : 0;
  }
}
