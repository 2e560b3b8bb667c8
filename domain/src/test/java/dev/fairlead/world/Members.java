package dev.fairlead.world;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.Member;
import dev.fairlead.job.RoleSpec;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Members placed the plain way: nodes in turn, on each the first GPUs with room. A test's planner,
 * not an engine.
 */
public final class Members {
  private Members() {}

  public static List<Member> of(JobSpec spec, List<Node> nodes, CapacityType capacity) {
    List<Member> members = new ArrayList<>();
    Map<String, Integer> taken = new TreeMap<>();
    for (RoleSpec role : spec.roles()) {
      for (int i = 0; i < role.count(); i++) {
        Node node = nodes.get(members.size() % nodes.size());
        members.add(member(role, i, node, capacity, shares(role.gpu(), node, taken)));
      }
    }
    return members;
  }

  /** One member of the first role on each of the nodes, with indexes from the first on. */
  public static List<Member> ofRole(
      JobSpec spec, int first, List<Node> nodes, CapacityType capacity) {
    List<Member> members = new ArrayList<>();
    Map<String, Integer> taken = new TreeMap<>();
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

  private static List<GpuShare> shares(GpuRequest request, Node node, Map<String, Integer> taken) {
    List<GpuShare> shares = new ArrayList<>();
    int devices = request.kind() == GpuRequest.Kind.WHOLE ? request.count() : 1;
    int milli = (int) request.milliOn(node.gpuMemoryMiB()) / Math.max(1, devices);
    for (Gpu gpu : node.gpus()) {
      int here = taken.getOrDefault(gpu.serial(), 0);
      if (milli > 0 && shares.size() < devices && gpu.freeMilli() - here >= milli) {
        taken.put(gpu.serial(), here + milli);
        shares.add(new GpuShare(gpu.index(), gpu.serial(), milli));
      }
    }
    if (milli > 0 && shares.size() < devices) {
      throw new IllegalStateException("not enough free GPUs on " + node.name());
    }
    return shares;
  }
}
