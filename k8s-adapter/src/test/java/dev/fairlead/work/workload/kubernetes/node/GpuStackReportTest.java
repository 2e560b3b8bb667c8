package dev.fairlead.work.workload.kubernetes.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.GpuComponent.GpuVersion;
import dev.fairlead.fleet.cluster.GpuComponent.Part;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.workload.kubernetes.node.GpuStackReport.Seen;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The GPU software of a cluster, as derived from the images of DaemonSets. */
class GpuStackReportTest {
  private static final List<NodeReport> NO_NODES = List.of();

  private static DaemonSet set(String name, String image, int ready, int wanted) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withNewTemplate()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage(image)
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .withNewStatus()
        .withNumberReady(ready)
        .withDesiredNumberScheduled(wanted)
        .endStatus()
        .build();
  }

  private static GpuComponent told(Part part, DaemonSet... sets) {
    return GpuStackReport.of(
            new Seen<>(List.of(sets), null), new Seen<DaemonSet>(List.of(), null), NO_NODES)
        .stream()
        .filter(each -> each.part() == part)
        .findFirst()
        .orElseThrow();
  }

  /** Fails when DaemonSets of one part are reported as one version, or its nodes are not summed. */
  @Test
  void differingVersionsAreCountedByNode() {
    GpuComponent toolkit =
        told(
            Part.CONTAINER_TOOLKIT,
            set("a", "nvcr.io/nvidia/k8s/container-toolkit:v1.17.5-ubuntu20.04", 2, 2),
            set("b", "mirror:5000/nvidia/k8s/container-toolkit:v1.16.2", 5, 6),
            set("c", "mirror:5000/nvidia/k8s/container-toolkit:v1.16.2", 1, 1));

    assertThat(toolkit.versions())
        .containsExactly(new GpuVersion("v1.16.2", 6), new GpuVersion("v1.17.5-ubuntu20.04", 2));
    assertThat(toolkit.reason()).isEqualTo("8 of 9 are ready");
    assertThat(toolkit.told()).isEqualTo("v1.16.2 on 6 nodes, v1.17.5-ubuntu20.04 on 2 nodes");
  }

  /** Fails when an image by digest has no version, or another program of that name is a driver. */
  @Test
  void digestIsReportedAsVersionAndOtherDriversAreIgnored() {
    String digest = "sha256:0123456789abcdef0123456789abcdef";
    assertThat(
            told(
                    Part.DEVICE_PLUGIN,
                    set("p", "gke.gcr.io/nvidia-gpu-device-plugin@" + digest, 1, 1))
                .versions())
        .containsExactly(new GpuVersion("sha256:0123456789ab", 1));
    assertThat(told(Part.DRIVER, set("d", "nvcr.io/nvidia/driver:570.124.06-ubuntu22.04", 3, 3)))
        .extracting(GpuComponent::state)
        .isEqualTo(GpuComponent.State.PRESENT);
    assertThat(told(Part.DRIVER, set("d", "example.com/storage/driver:1", 3, 3)))
        .isEqualTo(GpuComponent.unknown(Part.DRIVER, "it has no GPU nodes"));
  }
}
