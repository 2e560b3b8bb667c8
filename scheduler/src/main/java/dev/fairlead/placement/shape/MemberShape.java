package dev.fairlead.placement.shape;

import dev.fairlead.job.RoleSpec;
import dev.fairlead.job.TopologySpec;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceVector;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job as placement sees them.
 *
 * @param role position of their role in the spec
 * @param count members wanted, at least 1
 * @param minCount fewest that are worth starting, 1..count
 * @param cpuMilli thousandths of a core per member, at least 0
 * @param memoryMiB host memory per member, at least 0
 * @param nodeLabels labels that a node must carry
 */
public record MemberShape(
    int role,
    String name,
    int count,
    int minCount,
    GpuRequest gpu,
    long cpuMilli,
    long memoryMiB,
    boolean rdma,
    @Nullable TopologySpec topology,
    SortedMap<String, String> nodeLabels) {

  static MemberShape of(int role, RoleSpec spec, SortedMap<String, String> nodeLabels) {
    int count = Math.max(1, spec.count());
    return new MemberShape(
        role,
        spec.name(),
        count,
        Math.clamp(spec.minCount(), 1, count),
        spec.gpu(),
        Math.max(0, spec.cpuMilli()),
        Math.max(0, spec.memoryMiB()),
        spec.rdma(),
        spec.topology(),
        nodeLabels);
  }

  public boolean asksGpu() {
    return gpu.kind() != GpuRequest.Kind.NONE;
  }

  /** GPUs that must be free as a whole on one node, 0 for anything but whole GPUs. */
  public int wholeGpus() {
    return gpu.kind() == GpuRequest.Kind.WHOLE ? gpu.count() : 0;
  }

  public boolean elastic() {
    return minCount < count;
  }

  /** What one member holds of a node whose GPUs have the given memory. */
  public ResourceVector request(long deviceMemoryMiB) {
    return ResourceVector.of(cpuMilli, memoryMiB, gpu.milliOn(deviceMemoryMiB), 1);
  }

  /** The same for another number of members, not elastic. */
  public MemberShape times(int members) {
    return new MemberShape(
        role, name, members, members, gpu, cpuMilli, memoryMiB, rdma, topology, nodeLabels);
  }

  public MemberShape asking(GpuRequest other) {
    return new MemberShape(
        role, name, count, minCount, other, cpuMilli, memoryMiB, rdma, topology, nodeLabels);
  }

  public MemberShape near(@Nullable TopologySpec other) {
    return new MemberShape(
        role, name, count, minCount, gpu, cpuMilli, memoryMiB, rdma, other, nodeLabels);
  }

  MemberShape on(SortedMap<String, String> labels) {
    return new MemberShape(
        role, name, count, minCount, gpu, cpuMilli, memoryMiB, rdma, topology, labels);
  }
}
