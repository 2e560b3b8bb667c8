package dev.fairlead.work.workload.kubernetes.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.Orders;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InventoryTest {
  private final NodeReports reports = new NodeReports(TopologyLevels.DEFAULT, "us");

  @Test
  void aNodeIsReportedByItsLabelsConditionsAndTaints() {
    NodeReport report = reports.of(node("8", "8").build());
    assertThat(report.ready()).isTrue();
    assertThat(report.cordoned()).isTrue();
    assertThat(report.gpuModel()).isEqualTo("H100");
    assertThat(report.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(report.topology())
        .containsExactlyInAnyOrderEntriesOf(Map.of("zone", "z", "rack", "r1", "host", "n"));
    assertThat(report.bootId()).isEqualTo("boot-1");
    assertThat(report.labels()).doesNotContainKey("feature.node.kubernetes.io/cpu-x");
    assertThat(report.outOfService()).isTrue();
  }

  @Test
  void offeredCapacityIsRoundedDown() {
    assertThat(reports.of(node("8", "8").build()).allocatable())
        .isEqualTo(
            new ResourceVector(
                3920,
                1023,
                8000,
                110,
                new java.util.TreeMap<>(Map.of("nvidia.com/mig-1g.10gb", 2L))));
  }

  /** Fails when a node whose GPUs are all partitioned counts as a node without GPUs. */
  @Test
  void nodeWithAllGpusPartitionedRetainsItsModel() {
    NodeReport report =
        reports.of(
            node("0", "0")
                .editMetadata()
                .addToLabels("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB")
                .endMetadata()
                .build());

    assertThat(report.gpuModel()).isEqualTo("A100-80GB");
    assertThat(report.gpus()).isEmpty();
  }

  @Test
  void aLostGpuIsShownAsFailed() {
    List<Gpu> gpus = reports.of(node("8", "7").build()).gpus();
    assertThat(gpus).hasSize(8);
    assertThat(gpus).extracting(Gpu::state).filteredOn(GpuState.FAILED::equals).hasSize(1);
    assertThat(gpus.getFirst().serial()).isEqualTo("n/0");
  }

  @Test
  void sharedGpusAreCountedAsDevices() {
    var renamed = node("0", "0").editMetadata().addToLabels("nvidia.com/gpu.replicas", "4");
    Map<String, Quantity> eight = Map.of("nvidia.com/gpu.shared", new Quantity("8"));
    Node apart =
        renamed
            .endMetadata()
            .editStatus()
            .withCapacity(eight)
            .withAllocatable(eight)
            .endStatus()
            .build();
    NodeReport report = reports.of(apart);
    assertThat(report.gpus()).hasSize(2);
    assertThat(report.allocatable().gpuMilli()).isEqualTo(2000);
    assertThat(report.gpuModel()).isEqualTo("H100");
    var others =
        new ResourceVector(
            0, 0, 0, 3, new java.util.TreeMap<>(Map.of("nvidia.com/gpu.shared", 3L)));
    assertThat(NodeReports.with(report, others).foreign().gpuMilli()).isEqualTo(750);
    Node same =
        node("8", "8")
            .editMetadata()
            .addToLabels("nvidia.com/gpu.replicas", "4")
            .addToLabels("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3-SHARED")
            .endMetadata()
            .build();
    assertThat(reports.of(same).gpus()).hasSize(2);
    assertThat(reports.of(same).gpuModel()).isEqualTo("H100");
  }

  /** Fails when slices under the name of GPUs count as whole GPUs, also slices of other pods. */
  @Test
  void slicesWithTheResourceNameOfGpusAreParts() {
    Node sliced =
        node("14", "14")
            .editMetadata()
            .addToLabels("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")
            .addToLabels("nvidia.com/gpu.memory", "4864")
            .addToLabels(GpuOffer.LABEL, "parts-9")
            .endMetadata()
            .build();

    NodeReport report = reports.of(sliced);

    assertThat(report.gpuModel()).isEqualTo("A100-40GB");
    assertThat(report.gpuMemoryMiB()).isEqualTo(40_960);
    assertThat(report.gpus()).hasSize(2);
    assertThat(report.allocatable().gpuMilli()).isEqualTo(1750);
    assertThat(report.labels()).containsEntry(GpuOffer.LABEL, "slices-1g.5gb");
    ResourceVector others = ResourceVector.of(0, 0, 3000, 3);
    assertThat(NodeReports.with(report, others).foreign().gpuMilli()).isEqualTo(375);
  }

  /** Fails when a product that is not understood is offered as whole GPUs. */
  @Test
  void virtualGpusAreNotOffered() {
    NodeReport report =
        reports.of(
            node("2", "2")
                .editMetadata()
                .addToLabels("nvidia.com/gpu.product", "NVIDIA-A10-4Q")
                .endMetadata()
                .build());
    assertThat(report.gpuModel()).isEqualTo("NVIDIA-A10-4Q");
    assertThat(report.gpus()).isEmpty();
    assertThat(report.allocatable().gpuMilli()).isZero();
    assertThat(GpuOffer.trouble(List.of(report))).isPresent();
  }

  @Test
  void unknownProductIsItsOwnModelAndANodeWithoutGpusIsForCpu() {
    Node unknown =
        node("1", "1")
            .editMetadata()
            .addToLabels("nvidia.com/gpu.product", "Acme-9")
            .endMetadata()
            .build();
    assertThat(reports.of(unknown).gpuModel()).isEqualTo("Acme-9");
    Node plain =
        node("0", "0")
            .editStatus()
            .removeFromAllocatable("nvidia.com/mig-1g.10gb")
            .endStatus()
            .build();
    assertThat(reports.of(plain).gpuModel()).isEqualTo(Flavor.CPU);
  }

  @Test
  void podRequestIsTheLargerOfContainersAndInitContainers() {
    Pod pod =
        new PodBuilder()
            .withNewSpec()
            .addNewInitContainer()
            .withNewResources()
            .withRequests(Map.of("cpu", new Quantity("3"), "memory", new Quantity("1Mi")))
            .endResources()
            .endInitContainer()
            .addNewContainer()
            .withNewResources()
            .withLimits(Map.of("cpu", new Quantity("1"), "nvidia.com/gpu", new Quantity("2")))
            .endResources()
            .endContainer()
            .addNewContainer()
            .withNewResources()
            .withRequests(Map.of("cpu", new Quantity("500m"), "memory", new Quantity("1500Ki")))
            .endResources()
            .endContainer()
            .withOverhead(Map.of("cpu", new Quantity("250m")))
            .endSpec()
            .build();
    assertThat(NodeAmounts.asked(pod)).isEqualTo(ResourceVector.of(3250, 2, 2000, 1));
  }

  @Test
  void foreignPodsCountUntilTheyEndAndEqualNodesKeepTheRevision() {
    Inventory inventory = new Inventory(null);
    NodeReport node = Orders.node("n", 8);
    Inventory.ForeignPod pod =
        new Inventory.ForeignPod("a/b", "n", ResourceVector.of(500, 10, 1000, 1));
    inventory.node(null, node);
    long empty = inventory.view().revision();
    inventory.foreign(null, pod);
    assertThat(inventory.view().nodes().getFirst().foreign()).isEqualTo(pod.asked());
    long used = inventory.view().revision();
    assertThat(used).isNotEqualTo(empty);
    assertThat(inventory.foreign(pod, pod)).isFalse();
    inventory.node(node, node);
    assertThat(inventory.view().revision()).isEqualTo(used);
    inventory.foreign(pod, null);
    assertThat(inventory.view().nodes().getFirst().foreign()).isEqualTo(ResourceVector.ZERO);
    inventory.node(node, null);
    assertThat(inventory.view().nodes()).isEmpty();
  }

  @Test
  void powerOffReportOutlivesItsNodeObject() {
    Inventory inventory = new Inventory(null);
    NodeReport off = reports.of(node("8", "8").build());
    inventory.node(null, off);
    inventory.node(off, null);
    assertThat(inventory.view().nodes())
        .singleElement()
        .matches(NodeReport::machineGone)
        .matches(n -> !n.ready());
    inventory.node(null, Orders.node("n", 8));
    assertThat(inventory.view().nodes()).singleElement().matches(n -> !n.machineGone());
  }

  @Test
  void deletedNodeObjectProvesNothingByItself() {
    Inventory inventory = new Inventory(null);
    NodeReport node = Orders.node("n", 8);
    inventory.node(null, node);
    inventory.node(node, null);
    assertThat(inventory.view().nodes()).isEmpty();
  }

  @Test
  void shrunkNodeOffersItsRemainder() {
    Inventory inventory = new Inventory(null);
    NodeReport before = reports.of(node("8", "8").build());
    NodeReport after =
        reports.of(
            node("8", "8")
                .editStatus()
                .addToAllocatable("cpu", new Quantity("2"))
                .addToAllocatable("memory", new Quantity("512Mi"))
                .endStatus()
                .build());
    inventory.node(null, before);
    long revision = inventory.view().revision();
    inventory.node(before, after);
    assertThat(inventory.view().revision()).isGreaterThan(revision);
    assertThat(inventory.view().nodes().getFirst().allocatable().cpuMilli()).isEqualTo(2_000);
    assertThat(inventory.view().nodes().getFirst().allocatable().memoryMiB()).isEqualTo(512);
  }

  @Test
  void forgedCountsAndTextsAreBoundedAndUnstorableValuesOmitted() {
    Node forged =
        node("999999999999", "999999999999")
            .editMetadata()
            .addToLabels("evil\u0000key", "x")
            .addToLabels("long", "x".repeat(10_000))
            .addToLabels("nvidia.com/gpu.memory", "-5")
            .endMetadata()
            .editSpec()
            .addNewTaint("NoSchedule", "a\nb", null, null)
            .endSpec()
            .editStatus()
            .withNewNodeInfo()
            .withBootID("boot\u0000")
            .endNodeInfo()
            .addToAllocatable("cpu", new Quantity("-3"))
            .addToAllocatable("memory", new Quantity("999999999E"))
            .endStatus()
            .build();
    NodeReport report = reports.of(forged);
    assertThat(report.gpus()).hasSize(1024);
    assertThat(report.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(report.allocatable().cpuMilli()).isZero();
    assertThat(report.allocatable().memoryMiB()).isEqualTo(1L << 40);
    assertThat(report.labels()).doesNotContainKeys("evil\u0000key", "long");
    assertThat(report.taints()).extracting(Taint::key).doesNotContain("a\nb");
    assertThat(report.bootId()).isEmpty();
    Node nameless = node("1", "1").editMetadata().withName("n\u0000").endMetadata().build();
    assertThatThrownBy(() -> reports.of(nameless)).isInstanceOf(IllegalArgumentException.class);
  }

  private static NodeBuilder node(String capacity, String allocatable) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n")
        .addToLabels("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
        .addToLabels("nvidia.com/gpu.memory", "81559")
        .addToLabels("topology.kubernetes.io/zone", "z")
        .addToLabels("topology.fairlead.dev/rack", "r1")
        .addToLabels("kubernetes.io/hostname", "n")
        .addToLabels("feature.node.kubernetes.io/cpu-x", "true")
        .endMetadata()
        .withNewSpec()
        .withUnschedulable(true)
        .addNewTaint("NoExecute", "node.kubernetes.io/out-of-service", null, "nodeshutdown")
        .endSpec()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .withNewNodeInfo()
        .withBootID("boot-1")
        .endNodeInfo()
        .withCapacity(Map.of("nvidia.com/gpu", new Quantity(capacity)))
        .withAllocatable(
            Map.of(
                "cpu",
                new Quantity("3920m"),
                "memory",
                new Quantity("1048575Ki"),
                "pods",
                new Quantity("110"),
                "nvidia.com/gpu",
                new Quantity(allocatable),
                "nvidia.com/mig-1g.10gb",
                new Quantity("2")))
        .endStatus();
  }
}
