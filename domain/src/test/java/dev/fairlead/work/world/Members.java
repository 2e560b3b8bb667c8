package dev.fairlead.work.world;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Simple placement: nodes in turn, on each the first GPUs with room. A planner for tests, not an
 * engine.
 */
public final class Members {
  private Members() {}

  public static List<Member> of(JobSpec spec, List<Node> nodes, CapacityType capacity) {
    List<Member> members = new ArrayList<>();
    Map<String, Gpu> taken = new TreeMap<>();
    for (RoleSpec role : spec.roles()) {
      for (int i = 0; i < role.count(); i++) {
        Node node = nodes.get(members.size() % nodes.size());
        members.add(member(role, i, node, capacity, shares(role.gpu(), node, taken)));
      }
    }
    return members;
  }

  /**
   * Returns one member of the first role on each of the nodes, with consecutive indexes from {@code
   * first}.
   */
  public static List<Member> ofRole(
      JobSpec spec, int first, List<Node> nodes, CapacityType capacity) {
    List<Member> members = new ArrayList<>();
    Map<String, Gpu> taken = new TreeMap<>();
    RoleSpec role = spec.roles().getFirst();
    for (Node node : nodes) {
      List<GpuShare> shares = shares(role.gpu(), node, taken);
      members.add(member(role, first + members.size(), node, capacity, shares));
    }
    return members;
  }

  /** A member with these shares. */
  public static Member member(
      RoleSpec role, int index, Node node, CapacityType capacity, List<GpuShare> shares) {
    String model = shares.isEmpty() ? Flavor.CPU : node.gpuModel();
    long gpuMilli = shares.stream().mapToLong(GpuShare::milli).sum();
    ResourceVector request = ResourceVector.of(role.cpuMilli(), role.memoryMiB(), gpuMilli, 1);
    return Member.planned(
        role.name(), index, node.id(), node.name(), new Flavor(model, capacity), request, shares);
  }

  /** The requested amount, or one slice. */
  private static List<GpuShare> shares(GpuRequest request, Node node, Map<String, Gpu> taken) {
    List<GpuShare> shares = new ArrayList<>();
    int devices = request.kind() == GpuRequest.Kind.WHOLE ? request.count() : 1;
    int milli = (int) request.milliOn(node.gpuModel(), node.gpuMemoryMiB()) / Math.max(1, devices);
    for (Gpu seen : node.gpus()) {
      Gpu gpu = taken.getOrDefault(seen.serial(), seen);
      int slices = slices(request, node, gpu);
      boolean cut = request.kind() != GpuRequest.Kind.MIG || slices != 0;
      if (milli > 0 && shares.size() < devices && cut && gpu.takes(milli, slices)) {
        int all = gpu.allocatedMilli() + milli;
        taken.put(
            gpu.serial(),
            new Gpu(gpu.index(), gpu.serial(), gpu.state(), all, gpu.slices() | slices));
        shares.add(new GpuShare(gpu.index(), gpu.serial(), milli, slices));
      }
    }
    if (milli > 0 && shares.size() < devices) {
      throw new IllegalStateException("not enough free GPUs on " + node.name());
    }
    return shares;
  }

  /** Position of a slice of the profile on the GPU, 0 when it does not fit or none is requested. */
  private static int slices(GpuRequest request, Node node, Gpu gpu) {
    String profile = request.migProfile();
    return profile == null
        ? 0
        : MigGeometry.of(node.gpuModel())
            .flatMap(g -> g.profile(profile).map(p -> g.place(p, gpu.slices())))
            .orElse(0);
  }
}
