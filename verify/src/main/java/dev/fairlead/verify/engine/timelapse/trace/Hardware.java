package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.EngineObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Nodes of a trace as one cluster. */
public final class Hardware {
  /** The traces have no device memory, and no job requests any. */
  static final long DEVICE_MEMORY_MIB = 16_384;

  static final List<String> LEVELS = List.of("rack", "host");
  private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));
  private static final long MANY_PODS = 1_000_000;

  private Hardware() {}

  public static Node node(
      String name, int number, String model, int gpus, long cpuMilli, long memoryMiB, String rack) {
    List<Gpu> devices = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      devices.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0));
    }
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(NodeState.ACTIVE)
            .gpuModel(model)
            .gpuMemoryMiB(gpus == 0 ? 0 : DEVICE_MEMORY_MIB)
            .allocatable(
                ResourceVector.of(cpuMilli, memoryMiB, gpus * (long) Gpu.WHOLE_MILLI, MANY_PODS))
            .topology(new TreeMap<>(Map.of("rack", rack, "host", name)))
            .bootId("boot")
            .gpus(devices)
            .build();
    return new Node(new NodeId(new UUID(4, number + 1L)), CLUSTER, name, 1, null, status);
  }

  public static Cluster cluster(String name) {
    return EngineObjects.cluster(CLUSTER, name, LEVELS);
  }
}
