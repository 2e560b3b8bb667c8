package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.CapabilitiesBuilder;
import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Machines from pools, with the labels of GPU feature discovery and a cloud provider. */
final class SimulatedFleet {
  /** Topology levels of every simulated cluster, widest first. */
  static final List<String> LEVELS = List.of("zone", "block", "rack", "host");

  private static final String SIMULATED = "simulated";
  private static final String NO_PODS = "a simulated fleet runs no containers";

  /** Only the fence can be probed. */
  static final List<IsolationFeature> ISOLATION =
      List.of(
          IsolationFeature.enforced(IsolationFeature.FENCE),
          IsolationFeature.unknown(IsolationFeature.NETWORK, NO_PODS),
          IsolationFeature.unknown(IsolationFeature.POD_SECURITY, NO_PODS),
          IsolationFeature.unknown(IsolationFeature.QUOTA, NO_PODS),
          IsolationFeature.unknown(
              IsolationFeature.SCOPE, "a simulated fleet has no namespaces of others"));

  static final int MOST_NODES = 50_000;

  private static final long CPU_MILLI = 128_000;
  private static final long MEMORY_MIB = 2L << 20;
  private static final long PODS = 110;
  private static final int NUMA_NODES = 2;
  private static final long UNKNOWN_MODEL_MEMORY_MIB = 81_920;

  private final String cluster;
  private final @Nullable String fabric;
  private final List<SimulatedNode.Machine> machines = new ArrayList<>();
  private final SortedMap<String, Integer> numbered = new TreeMap<>();
  private int blocks;
  private int racks;

  private SimulatedFleet(String cluster, @Nullable String fabric) {
    this.cluster = cluster;
    this.fabric = fabric;
  }

  /**
   * @throws IllegalArgumentException when there are more than {@link #MOST_NODES} nodes
   */
  static List<SimulatedNode.Machine> machines(
      String cluster, List<FleetPool> pools, @Nullable String fabric) {
    if (pools.stream().mapToLong(FleetPool::nodes).sum() > MOST_NODES) {
      throw new IllegalArgumentException("at most " + MOST_NODES + " simulated nodes");
    }
    SimulatedFleet fleet = new SimulatedFleet(cluster, fabric);
    pools.forEach(fleet::add);
    return fleet.machines;
  }

  /** Capabilities of the cluster, with a GPU stack on each node with GPUs. */
  static Capabilities capabilities(List<SimulatedNode.Machine> machines) {
    int gpuNodes = (int) machines.stream().filter(each -> !each.serials().isEmpty()).count();
    Capabilities can = plain(gpuNodes);
    List<NodeReport> labelled =
        machines.stream()
            .filter(each -> !GpuOffer.whole(each.labels()))
            .map(each -> new SimulatedNode(each, "").report())
            .toList();
    return GpuOffer.trouble(labelled)
        .map(why -> can.because(Capabilities.GPU_MODELS, why))
        .orElse(can);
  }

  private static Capabilities plain(int gpuNodes) {
    return CapabilitiesBuilder.builder()
        .serverVersion(SIMULATED)
        .fence(Capabilities.Fence.ENFORCED)
        .gpuIdentity(GpuIdentity.ENFORCED)
        .sharing(true)
        .mig(true)
        .networkPolicy(true)
        .dra(false)
        .topologyLevels(LEVELS)
        .clusterDomain("cluster.local")
        .priorityClasses(false)
        .storageClasses(List.of())
        .reasons(Collections.emptySortedMap())
        .rightsAsked(null)
        .isolation(List.of())
        .gpuStack(List.of())
        .nodeLabelsAndTaints(Presence.UNKNOWN)
        .deviceClasses(List.of())
        .build()
        .behind(ISOLATION)
        .with(
            Stream.of(GpuComponent.Part.values())
                .map(part ->
                    gpuNodes == 0
                        ? GpuComponent.absent(part, "it has no GPU nodes")
                        : GpuComponent.present(
                            part, new TreeMap<>(Map.of(SIMULATED, gpuNodes)), null))
                .toList());
  }

  /** Adds a pool. Racks are consecutive, each inside one block. No two pools share a block. */
  private void add(FleetPool pool) {
    int racksHere = pool.blocks() * pool.racksPerBlock();
    for (int i = 0; i < pool.nodes(); i++) {
      int rack = (int) ((long) i * racksHere / pool.nodes());
      machines.add(machine(pool, blocks + rack / pool.racksPerBlock(), racks + rack));
    }
    blocks += pool.blocks();
    racks += racksHere;
  }

  private SimulatedNode.Machine machine(FleetPool pool, int block, int rack) {
    int units = pool.gpusPerNode();
    GpuModel asked = model(pool.model());
    SortedMap<String, String> gpuLabels = gpuLabels(asked, units);
    GpuOffer offer = GpuOffer.read(gpuLabels, units, false);
    int gpus = offer.devices(units);
    String name = name(units > 0 ? "gpu" : "cpu");
    SortedMap<String, String> topology = new TreeMap<>();
    topology.put("zone", cluster + "-z0");
    topology.put("block", "%s-b%02d".formatted(cluster, block));
    topology.put("rack", "%s-r%02d".formatted(cluster, rack));
    topology.put("host", name);
    SortedMap<String, String> labels = labels(topology);
    if (units > 0) {
      labels.putAll(gpuLabels);
      offer.label().ifPresent(value -> labels.put(GpuOffer.LABEL, value));
    }
    List<String> serials = new ArrayList<>();
    for (int i = 0; i < gpus; i++) {
      serials.add("GPU-" + Identities.stable(cluster + "/" + name + "/" + i));
    }
    return new SimulatedNode.Machine(
        name,
        units > 0 ? offer.model() : Flavor.CPU,
        units > 0 ? offer.memoryMiB() : 0,
        new ResourceVector(
            CPU_MILLI,
            MEMORY_MIB,
            offer.milli((long) units * Gpu.WHOLE_MILLI),
            PODS,
            fabrics(gpus)),
        labels,
        topology,
        serials);
  }

  private SortedMap<String, Long> fabrics(int gpus) {
    SortedMap<String, Long> fabrics = new TreeMap<>();
    if (fabric != null && gpus > 0) {
      fabrics.put(fabric, (long) gpus);
    }
    return fabrics;
  }

  private String name(String kind) {
    int number = numbered.merge(kind, 1, Integer::sum) - 1;
    return "%s-%s-%04d".formatted(cluster, kind, number);
  }

  private static SortedMap<String, String> labels(SortedMap<String, String> topology) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("kubernetes.io/os", "linux");
    labels.put("kubernetes.io/arch", "amd64");
    labels.put("kubernetes.io/hostname", topology.get("host"));
    labels.put("topology.kubernetes.io/region", "sim");
    labels.put("topology.kubernetes.io/zone", topology.get("zone"));
    labels.put("topology.fairlead.dev/block", topology.get("block"));
    labels.put("topology.fairlead.dev/rack", topology.get("rack"));
    labels.put("sim.fairlead.dev/kubelet", "running");
    return labels;
  }

  private static SortedMap<String, String> gpuLabels(GpuModel model, int count) {
    SortedMap<String, String> labels = new TreeMap<>();
    if (count % NUMA_NODES == 0) {
      labels.put("topology.fairlead.dev/numa-nodes", Integer.toString(NUMA_NODES));
    }
    labels.put("nvidia.com/gpu.present", "true");
    labels.put(GpuOffer.PRODUCT, model.product());
    labels.put("nvidia.com/gpu.count", Integer.toString(count));
    labels.put("nvidia.com/gpu.memory", Long.toString(model.memoryMiB()));
    labels.put("nvidia.com/gpu.replicas", "1");
    labels.put("nvidia.com/mig.strategy", model.migGeometry() == null ? "none" : "mixed");
    return labels;
  }

  /** Finds a model by full name or by family. Any other name is the label of a product. */
  private static GpuModel model(String asked) {
    return GpuCatalogue.byName(asked)
        .or(() -> GpuCatalogue.models().stream().filter(m -> m.answersTo(asked)).findFirst())
        .or(() -> GpuCatalogue.read(asked, 0).map(model -> model.sold(asked)))
        .orElseGet(() -> GpuModel.unlisted(asked, UNKNOWN_MODEL_MEMORY_MIB));
  }
}
