package dev.fairlead.fleet.cluster.web;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.service.NodeView;
import dev.fairlead.fleet.cluster.service.Pools;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.Actor;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A machine of a cluster.
 *
 * @param pool name of its pool, null if none or a pool of another tenant
 * @param capacityType capacity type by its labels, otherwise by its cluster, null if the cluster
 *     was removed
 * @param gpuModel model of its GPUs, null if there are no GPUs
 * @param allocatable resources that the cluster offers on the node
 * @param allocated resources that attempts of Fairlead hold
 * @param foreign resources that other pods use
 * @param topology name of its domain, by level
 * @param notice announcement that the machine ends or pauses, null if none
 */
@RecordBuilder
record NodeResponse(
    String id,
    String name,
    String cluster,
    NodeState state,
    @Nullable String pool,
    @Nullable CapacityType capacityType,
    @Nullable String gpuModel,
    @Nullable String gpuMemory,
    NodeAmounts allocatable,
    NodeAmounts allocated,
    NodeAmounts foreign,
    SortedMap<String, String> topology,
    List<NodeGpuResponse> gpus,
    @JsonIgnoreProperties("within") @Nullable NodeNotice notice) {
  /** Amounts of a node. */
  record NodeAmounts(
      String cpu, String memory, BigDecimal gpu, long pods, SortedMap<String, Long> extended) {
    static NodeAmounts of(ResourceVector vector) {
      return new NodeAmounts(
          Quantity.ofMilli(vector.cpuMilli()),
          Quantity.ofMebibytes(vector.memoryMiB()),
          new BigDecimal(Quantity.ofMilli(vector.gpuMilli())),
          vector.pods(),
          vector.extended());
    }
  }

  /** A device. {@code allocated} is the part that attempts hold. */
  record NodeGpuResponse(int index, String serial, GpuState state, BigDecimal allocated) {
    static NodeGpuResponse of(Gpu gpu) {
      return new NodeGpuResponse(
          gpu.index(),
          gpu.serial(),
          gpu.state(),
          new BigDecimal(Quantity.ofMilli(gpu.allocatedMilli())));
    }
  }

  static NodeResponse of(Actor actor, NodeView view) {
    Node node = view.node();
    Cluster cluster = view.cluster();
    NodePool pool = node.pool();
    boolean gpus = !node.gpuModel().equals(Flavor.CPU);
    return NodeResponseBuilder.builder()
        .id(node.id().text())
        .name(node.name())
        .cluster(cluster == null ? node.cluster().text() : cluster.name())
        .state(node.state())
        .pool(pool != null && Pools.sees(actor, pool) ? pool.name() : null)
        .capacityType(cluster == null ? null : cluster.capacityOf(node))
        .gpuModel(gpus ? node.gpuModel() : null)
        .gpuMemory(gpus ? Quantity.ofMebibytes(node.gpuMemoryMiB()) : null)
        .allocatable(NodeAmounts.of(node.allocatable()))
        .allocated(NodeAmounts.of(node.allocated()))
        .foreign(NodeAmounts.of(node.foreign()))
        .topology(node.topology())
        .gpus(node.gpus().stream().map(NodeGpuResponse::of).toList())
        .notice(NodeNotice.of(node.taints()).orElse(null))
        .build();
  }
}
