package dev.fairlead.verify.engine.fgd;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.EngineObjects;
import dev.fairlead.verify.load.replay.TraceTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;

/** Nodes of an openb list as one empty cluster that shares GPUs. */
record NodeList(Cluster cluster, List<Node> nodes) {
  /** The lists have no device memory, and no pod requests any. */
  static final long DEVICE_MEMORY_MIB = 16_384;

  private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));
  private static final long MANY_PODS = 1_000_000;

  static NodeList read(Path file) {
    List<Node> nodes = new ArrayList<>();
    SortedSet<String> names = new TreeSet<>();
    new TraceTable(file)
        .rows(row -> {
          String name = row.field("sn", "a name that no other node has", t -> once(t, names));
          return nodes.add(node(row, name, nodes.size()));
        });
    if (nodes.stream().allMatch(n -> n.gpus().isEmpty())) {
      throw new BadInput(file + ": expected at least one node with a GPU");
    }
    return new NodeList(EngineObjects.cluster(CLUSTER, "openb", List.of()), nodes);
  }

  /** Returns the total GPUs of all nodes, in thousandths. */
  long gpuMilli() {
    return nodes.stream().mapToLong(n -> n.allocatable().gpuMilli()).sum();
  }

  private static String once(String name, SortedSet<String> names) {
    if (name.isBlank() || !names.add(name)) {
      throw new IllegalArgumentException(name);
    }
    return name;
  }

  private static Node node(TraceTable.Row row, String name, int number) {
    long cpu = row.field("cpu_milli", "thousandths of a core, 0 or more", PodList::amount);
    long memory = row.field("memory_mib", "MiB, 0 or more", PodList::amount);
    int count = row.field("gpu", "a number of GPUs, 0 to 64", t -> PodList.within(t, 0, 64));
    String model = count == 0 ? Flavor.CPU : row.field("model", "a GPU model", NodeList::model);
    return node(new Kind(count, cpu, memory, model), name, number);
  }

  /**
   * Capacity of a node.
   *
   * @param gpus 0..64
   */
  record Kind(int gpus, long cpuMilli, long memoryMiB, String model) {
    static Kind of(Node node) {
      ResourceVector has = node.allocatable();
      return new Kind(node.gpus().size(), has.cpuMilli(), has.memoryMiB(), node.gpuModel());
    }
  }

  /** Nodes named by their number. */
  static NodeList of(List<Kind> kinds) {
    List<Node> nodes = new ArrayList<>();
    kinds.forEach(kind -> nodes.add(node(kind, "node-" + nodes.size(), nodes.size())));
    return new NodeList(EngineObjects.cluster(CLUSTER, "openb", List.of()), nodes);
  }

  List<Kind> kinds() {
    return nodes.stream().map(Kind::of).toList();
  }

  private static Node node(Kind kind, String name, int number) {
    List<Gpu> gpus = new ArrayList<>();
    for (int i = 0; i < kind.gpus; i++) {
      gpus.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0));
    }
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(NodeState.ACTIVE)
            .gpuModel(kind.model)
            .gpuMemoryMiB(kind.gpus == 0 ? 0 : DEVICE_MEMORY_MIB)
            .allocatable(
                ResourceVector.of(
                    kind.cpuMilli, kind.memoryMiB, kind.gpus * (long) Gpu.WHOLE_MILLI, MANY_PODS))
            .bootId("boot")
            .gpus(gpus)
            .build();
    return new Node(new NodeId(new UUID(4, number + 1L)), CLUSTER, name, 1, null, status);
  }

  private static String model(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException(text);
    }
    return text.strip();
  }
}
