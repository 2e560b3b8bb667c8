package dev.fairlead.work.attempt.member;

/**
 * A part of one GPU of a node.
 *
 * @param index position of the device on its node
 * @param milli thousandths of the GPU
 * @param slices MIG slices that these are, as {@link dev.fairlead.kernel.resources.MigGeometry}
 *     writes them, 0 for anything else
 */
public record GpuShare(int index, String serial, int milli, int slices) {
  /** Whole, or a part without a position on the device. */
  public GpuShare(int index, String serial, int milli) {
    this(index, serial, milli, 0);
  }
}
