package dev.fairlead.fleet.cluster;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.GpuOffer.Kind;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fails when a share of a GPU counts as a whole GPU, or a label is read as another model. */
class GpuOfferTest {
  private static final String PRODUCT = "nvidia.com/gpu.product=";

  @ParameterizedTest
  @CsvSource({
    "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb, 14, A100-40GB, 2, 1750, slices-1g.5gb",
    "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb, 13, A100-40GB, 2, 1625, slices-1g.5gb",
    "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb, 16, H100, 8, 8000, slices-3g.40gb",
    "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb.me, 1, H100, 1, 125, slices-1g.10gb.me",
    "NVIDIA-A100-SXM4-40GB-MIG-INVALID, 2, A100-40GB, 0, 0, none",
    "NVIDIA-A100-SXM4-40GB-MIG-1g.99gb, 2, A100-40GB, 0, 0, none",
    "Acme-9-MIG-1g.5gb, 2, Acme-9, 0, 0, none",
    "NVIDIA-A10-4Q, 2, NVIDIA-A10-4Q, 0, 0, none",
    "NVIDIA-H100L-2-24C, 2, NVIDIA-H100L-2-24C, 0, 0, none",
    "GRID-V100D-8Q, 1, GRID-V100D-8Q, 0, 0, none",
    "NVIDIA-A100-1-5CME, 1, NVIDIA-A100-1-5CME, 0, 0, none",
    "NVIDIA-H100-1-12CME, 1, NVIDIA-H100-1-12CME, 0, 0, none",
    "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED, 8, A100-40GB, 0, 0, none",
    "NVIDIA-B300-SXM6-AC-MIG-1g.34gb, 7, B300, 1, 875, slices-1g.34gb",
    "NVIDIA-H100-80GB-HBM3, 8, H100, 8, 8000,",
    "Acme-9, 8, Acme-9, 8, 8000,"
  })
  void slicesAndVirtualGpusAreNotOfferedAsWholeGpus(
      String product, int units, String model, int devices, long milli, String label) {
    GpuOffer offer = GpuOffer.read(labels(PRODUCT + product), units, false);
    assertThat(offer.model()).isEqualTo(model);
    assertThat(offer.devices(units)).isEqualTo(devices);
    assertThat(offer.milli(units * 1000L)).isEqualTo(milli);
    assertThat(offer.label().orElse(null)).isEqualTo(label);
  }

  @Test
  void sliceHasTheMemoryOfItsGpuAndSharedSlicesCountOnce() {
    // Fails when the memory of a slice counts as that of the GPU.
    GpuOffer offer =
        GpuOffer.read(
            labels(
                PRODUCT + "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED",
                "nvidia.com/gpu.memory=9856",
                "nvidia.com/gpu.replicas=4"),
            28,
            false);
    assertThat(offer.kind()).isEqualTo(Kind.SLICES);
    assertThat(offer.memoryMiB()).isEqualTo(81_920);
    assertThat(offer.devices(28)).isEqualTo(1);
    assertThat(offer.milli(28_000)).isEqualTo(875);
  }

  @ParameterizedTest
  @CsvSource({
    "Tesla-T4, 1, , 50, true, 1, 50",
    "Tesla-T4, , 1, 50, true, 1, 50",
    "Tesla-T4, , , 50, true, 1, 50",
    "Tesla-T4-SHARED, 100, 1, 100, false, 1, 100",
    "NVIDIA-A10G-SHARED, , 1, 10, false, 1, 10",
    "NVIDIA-A10G-SHARED, , 2, 10, false, 2, 5",
    "Tesla-T4-SHARED, 4, 4, 16, false, 4, 4",
    "Tesla-T4, 4, , 16, false, 4, 4",
    "Tesla-T4-SHARED, 101, 1, 101, false, 0, 0",
    "Tesla-T4-SHARED, , 8, 8, false, 0, 0",
    "Tesla-T4, 1, 4, 4, false, 4, 0",
    "Tesla-T4, , 1, 10, false, 1, 10",
    "Tesla-T4, 10.0, 1, 10, false, 1, 10",
    "Tesla-T4, ten, , 10, false, 1, 10",
    "Tesla-T4, , 4, 3, false, 3, 0",
    "Tesla-T4, , 7, 8, false, 8, 0"
  })
  void sharedGpusAreNotOfferedAsWholeGpus(
      String product,
      String replicas,
      String count,
      int units,
      boolean renamed,
      int devices,
      int parts) {
    Map<String, String> labels = labels(PRODUCT + product);
    if (replicas != null) {
      labels.put("nvidia.com/gpu.replicas", replicas);
    }
    if (count != null) {
      labels.put("nvidia.com/gpu.count", count);
    }
    GpuOffer offer = GpuOffer.read(labels, units, renamed);
    assertThat(offer.devices(units)).isEqualTo(devices);
    offer.label().ifPresent(value -> labels.put(GpuOffer.LABEL, value));
    assertThat(SharedGpus.parts(labels)).isEqualTo(parts);
    assertThat(GpuOffer.of(labels, offer.model(), offer.memoryMiB())).isEqualTo(offer);
  }

  @ParameterizedTest
  @CsvSource({
    "7, 1, slices-1g.5gb, cloud.google.com/gke-accelerator=nvidia-tesla-a100"
        + " cloud.google.com/gke-gpu-partition-size=1g.5gb",
    "28, 1, slices-1g.5gb, cloud.google.com/gke-accelerator=nvidia-tesla-a100"
        + " cloud.google.com/gke-gpu-partition-size=1g.5gb"
        + " cloud.google.com/gke-gpu-sharing-strategy=time-sharing"
        + " cloud.google.com/gke-max-shared-clients-per-gpu=4",
    "8, 1, parts-8, cloud.google.com/gke-accelerator=nvidia-tesla-t4"
        + " cloud.google.com/gke-gpu-sharing-strategy=time-sharing"
        + " cloud.google.com/gke-max-shared-clients-per-gpu=8",
    "8, 2, parts-4, nvidia.com/gpu.product=Tesla-T4 nvidia.com/gpu.count=2"
        + " nvidia.com/gpu.sharing-strategy=mps",
    "8, 8,, nvidia.com/gpu.product=Tesla-T4 nvidia.com/gpu.count=8"
        + " nvidia.com/gpu.sharing-strategy=none"
  })
  void labelsOfGkeAndSharingStrategiesIndicateSharedGpus(
      int units, int devices, String label, String labels) {
    GpuOffer offer = GpuOffer.read(labels(labels.split(" ")), units, false);
    assertThat(offer.devices(units)).isEqualTo(devices);
    assertThat(offer.label().orElse(null)).isEqualTo(label);
  }

  @ParameterizedTest
  @CsvSource({
    "H100, k8s.amazonaws.com/accelerator=nvidia-h100",
    "NVIDIA-A100-SXM-64GB, nvidia.com/gpu.product=NVIDIA-A100-SXM-64GB"
        + " nvidia.com/gpu.memory=65536",
    "H100, cloud.google.com/gke-accelerator=nvidia-h100-80gb",
    "L4, cloud.google.com/gke-accelerator=nvidia-l4",
    "H100, gpu.nvidia.com/model=H100_NVLINK_80GB gpu.nvidia.com/vram=81",
    "H100, cloud.google.com/gke-accelerator=??? gpu.nvidia.com/model=H100_NVLINK_80GB",
    "A100-80GB, karpenter.k8s.aws/instance-gpu-name=a100"
        + " karpenter.k8s.aws/instance-gpu-memory=81920"
        + " node.kubernetes.io/instance-type=p4d.24xlarge",
    "H100, node.kubernetes.io/instance-type=gpu-h100-sxm",
    "L40S, nvidia.com/gpu.product= node.kubernetes.io/instance-type=g6e.xlarge",
    "H100, nvidia.com/gpu.product=NVIDIA-H100-PCIe cloud.google.com/gke-accelerator=nvidia-l4",
    "Acme-9, nvidia.com/gpu.product=Acme-9 node.kubernetes.io/instance-type=m5.large",
    "UNKNOWN, node.kubernetes.io/instance-type=m5.large"
  })
  void firstLabelWithAModelDecides(String model, String labels) {
    assertThat(GpuOffer.read(labels(labels.split(" ")), 8, false).model()).isEqualTo(model);
  }

  @Test
  void nodesWithUnrecognizedLabelsAreNamedWithTheNextStep() {
    NodeReport none =
        NodeReports.node("b")
            .label(GpuOffer.PRODUCT, "NVIDIA-A10-4Q")
            .label(GpuOffer.LABEL, "none")
            .build();
    NodeReport unknown = NodeReports.node("c").model(GpuOffer.UNKNOWN).build();
    assertThat(GpuOffer.trouble(List.of(NodeReports.node("a").build()))).isEmpty();
    assertThat(GpuOffer.trouble(List.of(none, unknown)).orElseThrow())
        .satisfies(reason("gpu-offer.node-product", "NVIDIA-A10-4Q"))
        .contains("GPU model of node c: install GPU feature discovery or set " + GpuOffer.PRODUCT);
  }

  private static Map<String, String> labels(String... labels) {
    Map<String, String> all = new TreeMap<>();
    Arrays.stream(labels)
        .map(label -> label.split("=", 2))
        .forEach(label -> all.put(label[0], label[1]));
    return all;
  }
}
