package dev.fairlead.work.workload.kubernetes.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.pod.PodSpecs;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class GpuClaimsTest {
  private static final PodDevices CLAIMED = PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com");
  private static final String UUID_OF_GPU = "GPU-00000000-0000-0000-0000-000000000001";
  private static final String OTHER_GPU = "GPU-00000000-0000-0000-0000-000000000002";
  private static final GpuRequest SLICES =
      new GpuRequest(GpuRequest.Kind.MIG, 3, 0, 0, "1g.10gb", List.of(), 0);
  private static final String SLOT = "gpu-7/0";
  private final Installation installation = new Installation(new UUID(1, 2), 1);

  private static NodeReport node(String serial) {
    return node(List.of(new Gpu(0, serial, GpuState.HEALTHY, 0)));
  }

  private static NodeReport node(List<Gpu> gpus) {
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
        gpus,
        List.of(),
        NodeLabelsAndTaints.NONE);
  }

  private String trouble(PodDevices now, String planned, String published) {
    LaunchOrder order = order(Specs.job("train").gpus(1), planned);
    Member member = order.attempt().members().getFirst();
    return GpuClaims.trouble(
        now, PodSpecs.role(order.job().spec(), member), member, node(published));
  }

  @Test
  void aMemberStartsOnTheGpusOfItsPlan() {
    assertThat(trouble(CLAIMED, UUID_OF_GPU, UUID_OF_GPU)).isNull();
    assertThat(trouble(PodDevices.EXTENDED_RESOURCE, SLOT, SLOT)).isNull();
  }

  /** Fails when a claim waits for slices that the driver has replaced since the plan. */
  @Test
  void aMemberStartsOnlyOnGpusInTheFormOfItsPlan() {
    PodDevices form = CLAIMED.slicing("mig.nvidia.com");
    NodeReport whole = node(UUID_OF_GPU);
    SortedMap<String, String> labels =
        new TreeMap<>(Map.of(GpuOffer.LABEL, "slices-" + SLICES.migProfile()));
    NodeReport sliced =
        whole.withGpus(
            whole.gpuModel(),
            whole.gpuMemoryMiB(),
            whole.allocatable(),
            whole.foreign(),
            labels,
            whole.gpus());
    RoleSpec slices = Specs.job("slices").gpu(SLICES).build().roles().getFirst();
    RoleSpec one = Specs.job("one").gpus(1).build().roles().getFirst();
    Member member = order(Specs.job("train").gpus(1), UUID_OF_GPU).attempt().members().getFirst();

    assertThat(GpuClaims.trouble(form, slices, member, sliced)).isNull();
    assertThat(GpuClaims.trouble(form, slices, member, whole)).contains("no MIG slices");
    assertThat(GpuClaims.trouble(form, one, member, sliced))
        .contains("MIG slices " + SLICES.migProfile());
  }

  /** Fails when a member on a node of a device plugin waits for a claim. */
  @Test
  void onlyMembersOnNodesWithTheLabelsClaimTheirGpus() {
    PodDevices some = CLAIMED.on(new TreeMap<>(Map.of("pool", "new")));
    RoleSpec role = Specs.job("train").gpus(1).build().roles().getFirst();
    Member chosen = order(Specs.job("train").gpus(1), UUID_OF_GPU).attempt().members().getFirst();
    Member slot = order(Specs.job("train").gpus(1), SLOT).attempt().members().getFirst();

    assertThat(GpuClaims.claimed(some, role, chosen)).isTrue();
    assertThat(GpuClaims.claimed(some, role, slot)).isFalse();
    assertThat(GpuClaims.claimed(CLAIMED, role, slot)).isTrue();
    assertThat(trouble(some, SLOT, SLOT)).isNull();
    assertThat(trouble(some, UUID_OF_GPU, SLOT)).as("before the change").contains("device plugin");
  }

  private LaunchOrder order(Specs job, String... uuids) {
    List<Gpu> gpus = new ArrayList<>();
    for (String uuid : uuids) {
      gpus.add(new Gpu(gpus.size(), uuid, GpuState.HEALTHY, 0));
    }
    return new LaunchOrders(new SeededIds(1), installation, installation.label())
        .order(1, job.build(), List.of(node(gpus)), Capabilities.UNOBSERVED);
  }

  private static ResourceClaim claim(LaunchOrder order, Member member, PodDevices form) {
    return GpuClaims.of(new ObjectMeta(), PodSpecs.role(order.job().spec(), member), member, form);
  }

  /** Fails when the planned GPUs cannot be read from the claim after a restart. */
  @Test
  void claimNamesTheGpusOfItsPlan() {
    LaunchOrder order = order(Specs.job("train").gpus(1), UUID_OF_GPU);
    ResourceClaim claim = claim(order, order.attempt().members().getFirst(), CLAIMED);
    assertThat(GpuClaims.selected(claim)).containsExactly(UUID_OF_GPU);
    claim.getSpec().getDevices().getRequests().getFirst().setExactly(null);
    assertThat(GpuClaims.selected(claim)).as("a claim of others with its name").isEmpty();
  }

  /** Fails when a slice may come from a different GPU than its plan, or with another profile. */
  @Test
  void claimOfSlicesHasARequestForEachGpuOfItsPlan() {
    PodDevices form = CLAIMED.slicing("mig.nvidia.com");
    LaunchOrder order = order(Specs.job("train").gpu(SLICES), UUID_OF_GPU, OTHER_GPU);
    Member planned = order.attempt().members().getFirst();
    Member member =
        planned.withGpus(
            List.of(
                new GpuShare(0, UUID_OF_GPU, 250, 0b11), new GpuShare(1, OTHER_GPU, 125, 0b100)));

    ResourceClaim claim = claim(order, member, form);

    assertThat(GpuClaims.claimed(CLAIMED, PodSpecs.role(order.job().spec(), member))).isFalse();
    assertThat(claim.getSpec().getDevices().getRequests())
        .extracting(
            DeviceRequest::getName,
            each -> each.getExactly().getDeviceClassName(),
            each -> each.getExactly().getCount())
        .containsExactly(
            tuple("gpus-0", "mig.nvidia.com", 2L), tuple("gpus-1", "mig.nvidia.com", 1L));
    assertThat(
            claim
                .getSpec()
                .getDevices()
                .getRequests()
                .getFirst()
                .getExactly()
                .getSelectors()
                .getFirst()
                .getCel()
                .getExpression())
        .contains(
            "attributes[\"gpu.nvidia.com\"].parentUUID in [\"" + UUID_OF_GPU + "\"]",
            "attributes[\"gpu.nvidia.com\"].profile in [\"1g.10gb\"]");
    assertThat(GpuClaims.selected(claim)).containsExactly(UUID_OF_GPU, OTHER_GPU);
  }

  /** Fails when a plan from before the change counts a GPU of the device plugin as the planned. */
  @Test
  void aPlanFromBeforeAChangeOfTheFormIsRefused() {
    assertThat(trouble(PodDevices.EXTENDED_RESOURCE, UUID_OF_GPU, SLOT)).contains("device plugin");
    assertThat(trouble(CLAIMED, SLOT, UUID_OF_GPU)).contains("no usable " + SLOT);
  }
}
