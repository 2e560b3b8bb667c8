package dev.fairlead.verify.engine.cases.form;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;

/** The one cluster of a case, and its idle nodes. */
public final class CaseNodes {
  private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));

  private CaseNodes() {}

  /**
   * A cluster.
   *
   * @param levels levels of its topology, widest first
   */
  public static Cluster cluster(List<String> levels, ClusterSettings settings) {
    Capabilities capabilities =
        new Capabilities(
            "1.36",
            Capabilities.Fence.ENFORCED,
            GpuIdentity.ENFORCED,
            true,
            false,
            true,
            false,
            levels,
            "cluster.local",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Presence.UNKNOWN,
            List.of());
    return new Cluster(
        CLUSTER,
        "cluster",
        ClusterKind.SIMULATED,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        Collections.emptySortedMap(),
        settings,
        capabilities,
        CaseJobs.NOW,
        CaseJobs.NOW,
        null,
        1);
  }

  /**
   * Capacity of a node.
   *
   * @param model model of its GPUs, CPU for none
   * @param deviceMemory MiB of each GPU
   */
  public record Offer(
      String model,
      int gpus,
      long deviceMemory,
      long cpu,
      long memory,
      long pods,
      SortedMap<String, Long> extended) {
    ResourceVector vector() {
      return new ResourceVector(cpu, memory, gpus * (long) Gpu.WHOLE_MILLI, pods, extended);
    }
  }

  /**
   * Name and location of a node.
   *
   * @param topology domain by level
   */
  public record Site(
      NodeState state,
      SortedMap<String, String> labels,
      List<Taint> taints,
      SortedMap<String, String> topology) {}

  public static Node node(int number, String name, Offer offer, Site site, ResourceVector foreign) {
    List<Gpu> gpus = new ArrayList<>();
    for (int i = 0; i < offer.gpus(); i++) {
      gpus.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0));
    }
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(site.state())
            .gpuModel(offer.model())
            .gpuMemoryMiB(offer.deviceMemory())
            .allocatable(offer.vector())
            .foreign(foreign)
            .taints(site.taints())
            .topology(site.topology())
            .bootId("boot")
            .gpus(gpus)
            .build()
            .labelled(site.labels());
    return new Node(new NodeId(new UUID(4, number)), CLUSTER, name, 1, null, status);
  }
}
