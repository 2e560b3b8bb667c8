package dev.fairlead.work.placement.score;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import java.util.Comparator;

/**
 * Nodes that are equal for requests for GPUs.
 *
 * @param model model of their GPUs
 * @param memoryMiB memory of one GPU in MiB, 0 if unknown
 */
record GpuKind(String model, long memoryMiB) implements Comparable<GpuKind> {
  private static final Comparator<GpuKind> ORDER =
      Comparator.comparing(GpuKind::model).thenComparingLong(GpuKind::memoryMiB);

  static GpuKind of(Node node) {
    return new GpuKind(node.gpuModel(), node.gpuMemoryMiB());
  }

  /** Returns whether an empty GPU of this kind satisfies the request. */
  boolean serves(GpuRequest request) {
    boolean tooSmall =
        request.kind() == GpuRequest.Kind.MEMORY && request.milliOn(memoryMiB) > Gpu.WHOLE_MILLI;
    return !tooSmall && request.accepts(model, memoryMiB);
  }

  @Override
  public int compareTo(GpuKind other) {
    return ORDER.compare(this, other);
  }
}
