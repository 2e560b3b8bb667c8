package dev.fairlead.work.placement.score;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The mix of requests by popularity. Jobs that wait or run now predict future jobs. Members with
 * equal requests are counted together, regardless of their names.
 */
public final class ShapeMix {
  private final Map<Request, Long> members = new LinkedHashMap<>();
  private long total;
  private boolean parts;

  /** The request of a member to a node. */
  record Request(GpuRequest gpu, long cpuMilli, long memoryMiB) {}

  /**
   * Counts members of a shape.
   *
   * @param count number of members, at least 0
   */
  public void add(MemberShape shape, long count) {
    members.merge(new Request(shape.gpu(), shape.cpuMilli(), shape.memoryMiB()), count, Long::sum);
    total += count;
    parts |=
        switch (shape.gpu().kind()) {
          case NONE, WHOLE, MIG -> false;
          case FRACTION, MEMORY -> count > 0;
        };
  }

  /** Returns whether a job requests a GPU fraction. */
  public boolean asksParts() {
    return parts;
  }

  /** Returns the use of nodes of one kind by this mix, as defined in the paper. */
  public UsableGpu on(String model, long deviceMemoryMiB) {
    return on(new GpuKind(model, deviceMemoryMiB), 0);
  }

  /**
   * @param fed weight of GPU that CPU and memory can feed, 0..1
   */
  UsableGpu on(GpuKind kind, double fed) {
    return new UsableGpu(List.copyOf(members.entrySet()), total, kind, fed);
  }

  /**
   * @param gpus number of GPUs of each kind
   */
  GpuScarcity scarcity(SortedMap<GpuKind, Long> gpus) {
    return new GpuScarcity(gpus, List.copyOf(members.entrySet()));
  }
}
