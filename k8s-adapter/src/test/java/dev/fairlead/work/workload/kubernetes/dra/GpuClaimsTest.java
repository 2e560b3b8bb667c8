package dev.fairlead.work.workload.kubernetes.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GpuClaimsTest {
  private static final PodDevices CLAIMED = PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com");
  private static final String UUID_OF_GPU = "GPU-00000000-0000-0000-0000-000000000001";
  private static final String SLOT = "gpu-7/0";
  private final Installation installation = new Installation(new UUID(1, 2), 1);

  private static NodeReport node(String serial) {
    return new NodeReport(
        "gpu-7",
        true,
        false,
        false,
        false,
        "H100",
        81_559,
        ResourceVector.of(64_000, 65_536, 1000, 110),
        ResourceVector.ZERO,
        new TreeMap<>(),
        List.of(),
        new TreeMap<>(),
        "boot",
        List.of(new Gpu(0, serial, GpuState.HEALTHY, 0)),
        List.of(),
        NodeLabelsAndTaints.NONE);
  }

  private String trouble(PodDevices now, String planned, String published) {
    LaunchOrder order =
        new LaunchOrders(new SeededIds(1), installation, installation.label())
            .order(
                1,
                Specs.job("train").gpus(1).build(),
                List.of(node(planned)),
                Capabilities.UNOBSERVED);
    Member member = order.attempt().members().getFirst();
    return GpuClaims.trouble(
        now, PodSpecs.role(order.job().spec(), member), member, node(published));
  }

  @Test
  void aMemberStartsOnTheGpusOfItsPlan() {
    assertThat(trouble(CLAIMED, UUID_OF_GPU, UUID_OF_GPU)).isNull();
    assertThat(trouble(PodDevices.EXTENDED_RESOURCE, SLOT, SLOT)).isNull();
  }

  /** Fails when the planned GPUs cannot be read from the claim after a restart. */
  @Test
  void claimNamesTheGpusOfItsPlan() {
    Member member =
        new LaunchOrders(new SeededIds(1), installation, installation.label())
            .order(
                1,
                Specs.job("train").gpus(1).build(),
                List.of(node(UUID_OF_GPU)),
                Capabilities.UNOBSERVED)
            .attempt()
            .members()
            .getFirst();
    ResourceClaim claim = GpuClaims.of(new ObjectMeta(), member, CLAIMED);
    assertThat(GpuClaims.selected(claim)).containsExactly(UUID_OF_GPU);
    claim.getSpec().getDevices().getRequests().getFirst().setExactly(null);
    assertThat(GpuClaims.selected(claim)).as("a claim of others with its name").isEmpty();
  }

  /** Fails when a plan from before the change counts a GPU of the device plugin as the planned. */
  @Test
  void aPlanFromBeforeAChangeOfTheFormIsRefused() {
    assertThat(trouble(PodDevices.EXTENDED_RESOURCE, UUID_OF_GPU, SLOT)).contains("device plugin");
    assertThat(trouble(CLAIMED, SLOT, UUID_OF_GPU)).contains("no usable " + SLOT);
  }
}
