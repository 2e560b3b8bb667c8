package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Adds nodes to a cluster of a scene: 128 cores, 1 TiB and 110 pods each, by default in one block
 * and rack.
 */
final class NodeBuilder {
  private final Scene scene;
  private final String cluster;
  private final ClusterId id;
  private int made;
  private String block = "b1";
  private String rack = "r1";
  private int usedGpus;
  private int cores = 128;
  private int foreignCores;
  private NodeState state = NodeState.ACTIVE;
  private NodePool pool;
  private final SortedMap<String, Long> extended = new TreeMap<>();
  private final List<Taint> taints = new ArrayList<>();
  private final SortedMap<String, String> labels = new TreeMap<>();

  NodeBuilder(Scene scene, String cluster, ClusterId id) {
    this.scene = scene;
    this.cluster = cluster;
    this.id = id;
  }

  NodeBuilder block(String name) {
    block = name;
    return this;
  }

  NodeBuilder rack(String name) {
    rack = name;
    return this;
  }

  /** GPUs and CPU in use on the following nodes. */
  NodeBuilder used(int gpus) {
    usedGpus = gpus;
    return this;
  }

  NodeBuilder cores(int n) {
    cores = n;
    return this;
  }

  NodeBuilder foreignCores(int n) {
    foreignCores = n;
    return this;
  }

  NodeBuilder state(NodeState other) {
    state = other;
    return this;
  }

  NodeBuilder taint(String key, String effect) {
    taints.add(new Taint(key, "", effect));
    return this;
  }

  /** Pool of the following nodes, with this owner, null for a shared pool. */
  NodeBuilder pool(String name, TenantId owner) {
    return pool(name, owner, Spares.NONE);
  }

  NodeBuilder pool(String name, TenantId owner, Spares spares) {
    pool = new NodePool(name, owner, spares, PoolWindows.NONE);
    return this;
  }

  /** Windows of the following nodes' pool. */
  NodeBuilder windows(PoolWindows windows) {
    pool = new NodePool(pool.name(), pool.tenant(), pool.spares(), windows);
    return this;
  }

  NodeBuilder label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  /** A resource that the nodes that follow offer under a name of their cluster. */
  NodeBuilder offers(String name, long amount) {
    extended.put(name, amount);
    return this;
  }

  NodeBuilder cpuNodes(int count) {
    return nodes(count, 0, Flavor.CPU);
  }

  NodeBuilder nodes(int count, int gpus, String model) {
    for (int i = 0; i < count; i++) {
      scene.nodes.add(node(gpus, model));
    }
    return this;
  }

  private Node node(int gpus, String model) {
    String name = "%s-n%03d".formatted(cluster, ++made);
    List<Gpu> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, i < usedGpus ? 1000 : 0));
    }
    SortedMap<String, String> topology = new TreeMap<>();
    topology.put("zone", cluster + "-z");
    topology.put("block", block);
    topology.put("rack", rack);
    topology.put("host", name);
    long memory = GpuCatalogue.byName(model).map(m -> m.memoryMiB()).orElse(0L);
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(state)
            .gpuModel(model)
            .gpuMemoryMiB(memory)
            .allocatable(new ResourceVector(cores * 1000L, 1 << 20, gpus * 1000L, 110, extended))
            .allocated(
                ResourceVector.of(usedGpus * 4000L, usedGpus * 16_384L, usedGpus * 1000L, usedGpus))
            .foreign(ResourceVector.of(foreignCores * 1000L, 0, 0, 0))
            .taints(taints)
            .topology(topology)
            .bootId("boot")
            .gpus(devices)
            .build()
            .labelled(labels);
    NodeId node = new NodeId(new UUID(4, scene.nodes.size() + 1));
    return new Node(node, id, name, 1, pool, status);
  }
}
