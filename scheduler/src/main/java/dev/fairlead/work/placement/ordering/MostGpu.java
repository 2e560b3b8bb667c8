package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The maximum thousandths of GPUs that a job uses on any nodes. Memory shares and MIG slices are
 * computed from the GPUs in the fleet. It is never less than the amount that its start reserves.
 */
final class MostGpu {
  private final List<Node> nodes;
  private final Map<GpuRequest, Long> known = new LinkedHashMap<>();

  MostGpu(List<Node> nodes) {
    this.nodes = nodes;
  }

  /** Returns the maximum for one element with all its members. An elastic job counts any device. */
  long milli(JobSpec spec) {
    return spec.elastic()
        ? spec.mostGpuMilli()
        : spec.roles().stream().mapToLong(this::milli).sum();
  }

  /** Returns the maximum for all members of a role. */
  long milli(RoleSpec role) {
    return role.count() * milli(role.gpu());
  }

  private long milli(GpuRequest gpu) {
    return switch (gpu.kind()) {
      case NONE, WHOLE, FRACTION -> gpu.mostMilli();
      case MEMORY, MIG -> known.computeIfAbsent(gpu, this::onFleet);
    };
  }

  /** Uses the maximum for any device if no device of the fleet is suitable. */
  private long onFleet(GpuRequest gpu) {
    long most = gpu.mostMilli();
    return nodes.stream()
        .filter(node -> serves(node, gpu))
        .mapToLong(node -> gpu.milliOn(node.gpuModel(), node.gpuMemoryMiB()))
        .filter(milli -> milli <= most)
        .max()
        .orElse(most);
  }

  private static boolean serves(Node node, GpuRequest gpu) {
    String profile = gpu.migProfile();
    return gpu.accepts(node.gpuModel(), node.gpuMemoryMiB())
        && (profile == null
            || node.allocatable().extended().getOrDefault(MigResource.of(profile), 0L) > 0
            || MigGeometry.of(node.gpuModel()).flatMap(g -> g.profile(profile)).isPresent());
  }
}
