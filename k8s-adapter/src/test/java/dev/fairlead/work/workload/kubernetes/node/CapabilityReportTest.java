package dev.fairlead.work.workload.kubernetes.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Capabilities of clusters with several forms of nodes. */
class CapabilityReportTest {
  private static final String UUID = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
  private static final NodeReport CLAIMING = NodeReports.node("claims").devices(UUID).build();
  private static final NodeReport PLUGIN = NodeReports.node("plugin").gpus(4).build();
  private static final NodeReport WITHOUT = NodeReports.node("cpu").gpus(0).build();

  private static Capabilities with(boolean shown, NodeReport... nodes) {
    return CapabilityReport.of(
        "v1.34",
        "cluster.local",
        TopologyLevels.DEFAULT,
        List.of(nodes),
        shown,
        FenceProbe.Finding.UNKNOWN,
        new ClusterOfferings.Findings(
            true,
            true,
            List.of(),
            List.of("gpu.nvidia.com"),
            true,
            true,
            Collections.emptySortedMap(),
            null),
        List.of(),
        List.of());
  }

  /** Fails when a user counts on a chosen device that the device plugin of the node ignores. */
  @Test
  void identityIsEnforcedOnlyIfAllNodesWithGpusHaveClaims() {
    Capabilities all = with(true, CLAIMING, WITHOUT);
    Capabilities part = with(true, CLAIMING, PLUGIN, WITHOUT);

    assertThat(all.gpuIdentity()).isEqualTo(GpuIdentity.ENFORCED);
    assertThat(all.reasons()).doesNotContainKey("gpuIdentity");
    assertThat(part.gpuIdentity()).isEqualTo(GpuIdentity.OBSERVED);
    assertThat(part.reasons().get("gpuIdentity")).contains("a part of the nodes");
    assertThat(with(false, CLAIMING, PLUGIN).gpuIdentity()).isEqualTo(GpuIdentity.UNKNOWN);
  }

  /** Fails when each node that joins or leaves rewrites the row of its cluster. */
  @Test
  void reasonsDoNotDependOnTheNumberOfNodes() {
    assertThat(with(true, CLAIMING, CLAIMING, PLUGIN).reasons())
        .isEqualTo(with(true, CLAIMING, PLUGIN, PLUGIN).reasons());
  }
}
