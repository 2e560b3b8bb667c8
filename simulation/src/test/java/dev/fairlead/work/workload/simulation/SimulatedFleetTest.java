package dev.fairlead.work.workload.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulatedFleetTest {
  private static final FleetPool H100 = new FleetPool(16, 8, "H100", 2, 2);

  @Test
  void racksAreConsecutiveEachInsideOneBlock() {
    List<NodeReport> nodes = new VirtualCluster(H100).nodes();
    assertThat(nodes).hasSize(16);
    assertThat(nodes.stream().map(n -> n.topology().get("rack")).distinct())
        .containsExactly("sim-r00", "sim-r01", "sim-r02", "sim-r03");
    assertThat(nodes.get(7).topology())
        .containsEntry("zone", "sim-z0")
        .containsEntry("block", "sim-b00")
        .containsEntry("rack", "sim-r01")
        .containsEntry("host", "sim-gpu-0007");
    assertThat(nodes.get(8).topology()).containsEntry("block", "sim-b01");
  }

  @Test
  void nodeLabelsMatchGpuFeatureDiscovery() {
    NodeReport node = new VirtualCluster(H100).nodes().getFirst();
    assertThat(node.gpuModel()).isEqualTo("H100");
    assertThat(node.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(node.allocatable())
        .isEqualTo(ResourceVector.of(128_000, 2 * 1024 * 1024, 8_000, 110));
    assertThat(node.labels())
        .containsEntry("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
        .containsEntry("nvidia.com/gpu.count", "8")
        .containsEntry("topology.fairlead.dev/rack", "sim-r00")
        .containsEntry("kubernetes.io/hostname", "sim-gpu-0000");
  }

  @Test
  void serialNumberStaysWithItsDeviceAndIsUnique() {
    List<String> serials = serials(new VirtualCluster(1, H100));
    assertThat(serials).hasSize(128).doesNotHaveDuplicates().allMatch(s -> s.startsWith("GPU-"));
    assertThat(serials(new VirtualCluster(2, H100))).isEqualTo(serials);
  }

  @Test
  void poolsShareNeitherNamesNorBlocks() {
    List<NodeReport> nodes =
        new VirtualCluster(
                new FleetPool(2, 8, "A100", 1, 1),
                new FleetPool(2, 4, "Quantum9", 1, 1),
                new FleetPool(1, 0, "", 1, 1))
            .nodes();
    assertThat(nodes.stream().map(NodeReport::name))
        .containsExactly(
            "sim-cpu-0000", "sim-gpu-0000", "sim-gpu-0001", "sim-gpu-0002", "sim-gpu-0003");
    assertThat(nodes.stream().map(n -> n.topology().get("block")))
        .containsExactly("sim-b02", "sim-b00", "sim-b00", "sim-b01", "sim-b01");
    assertThat(nodes.stream().map(NodeReport::gpuModel))
        .containsExactly("CPU", "A100-80GB", "A100-80GB", "Quantum9", "Quantum9");
  }

  @Test
  void poolOfAProductOffersTheCapacityOfNodesWithThatLabel() {
    // Fails when slices or parts of simulated GPUs count as whole GPUs.
    List<NodeReport> nodes =
        new VirtualCluster(
                new FleetPool(1, 14, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", 1, 1),
                new FleetPool(1, 2, "Tesla-V100-SXM2-16GB", 1, 1),
                new FleetPool(1, 2, "NVIDIA-A10-4Q", 1, 1))
            .nodes();
    assertThat(nodes.stream().map(NodeReport::gpuModel))
        .containsExactly("A100-40GB", "V100-16GB", "NVIDIA-A10-4Q");
    assertThat(nodes.stream().map(n -> n.gpus().size())).containsExactly(2, 2, 0);
    assertThat(nodes.stream().map(n -> n.allocatable().gpuMilli()))
        .containsExactly(1750L, 2000L, 0L);
    assertThat(nodes.get(1).gpuMemoryMiB()).isEqualTo(16_384);
  }

  @Test
  void tooLargeAFleetIsRejected() {
    assertThatThrownBy(() -> new VirtualCluster(new FleetPool(50_001, 8, "H100", 1, 1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<String> serials(VirtualCluster sim) {
    return sim.nodes().stream().flatMap(n -> n.gpus().stream()).map(Gpu::serial).toList();
  }
}
