package dev.fairlead.work.workload.kubernetes.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SliceInventoryTest {
  static final String DRIVER = "gpu.nvidia.com";
  static final PodDevices FORM = PodDevices.claimed(DRIVER, DRIVER).slicing("mig.nvidia.com");
  static final AttemptId ATTEMPT = new AttemptId(new UUID(1, 2));
  static final MemberKey KEY = new MemberKey("worker", 0, 0);
  private final SliceInventory published = new SliceInventory(FORM);

  static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0000-00000000000" + gpu;
  }

  static String gpu(int number) {
    return "{name: gpu-%d, attributes: {type: {string: gpu}, uuid: {string: %s}, productName: {string: NVIDIA H100 80GB HBM3}}, capacity: {memory: {value: 81559Mi}}}"
        .formatted(number, uuid(number));
  }

  static SeenSlice slice(String name, int generation, String... devices) {
    return slice("gpu-7", name, generation, 1, devices);
  }

  static SeenSlice slice(String node, String name, int generation, int count, String... devices) {
    return SeenSlice.of(read(node, name, generation, count, devices), FORM);
  }

  static ResourceSlice read(
      String node, String name, int generation, int count, String... devices) {
    return Serialization.unmarshal(
        """
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %s
          pool: {name: %s, generation: %d, resourceSliceCount: %d}
          devices: [%s]
        """
            .formatted(name, node, node, generation, count, String.join(", ", devices)),
        ResourceSlice.class);
  }

  private NodeReport shown() {
    return shown("gpu-7");
  }

  private NodeReport shown(String node) {
    return shown(published, node);
  }

  static NodeReport shown(SliceInventory published, String node) {
    return published.shown(
        new NodeReport(
            node,
            true,
            false,
            false,
            false,
            "CPU",
            0,
            ResourceVector.of(64_000, 1024, 0, 110),
            ResourceVector.ZERO,
            new TreeMap<>(),
            List.of(),
            new TreeMap<>(),
            "boot",
            List.of(),
            List.of(),
            NodeLabelsAndTaints.NONE));
  }

  /** Fails when a node without the labels of nodes with claims offers published GPUs. */
  @Test
  void nodeWithoutTheLabelsOffersTheGpusOfItsDevicePlugin() {
    SliceInventory other =
        new SliceInventory(FORM.on(new TreeMap<>(Map.of("example.com/pool", "new"))));
    SliceInventory.Change _ = other.slice(null, slice("gpu-7", 1, gpu(0)));
    SliceInventory.Change _ = published.slice(null, slice("gpu-7", 1, gpu(0)));

    assertThat(shown(published, "gpu-7").gpus()).hasSize(1);
    assertThat(shown(other, "gpu-7").gpus()).isEmpty();
  }

  private static ObservedMember member(String reason) {
    return ObservedMember.of(KEY, "uid", MemberState.PENDING, null).withReason(reason);
  }

  private static SeenClaim claim(SeenClaim.Owner owner, int... gpus) {
    List<DeviceRef> devices = new ArrayList<>();
    List<String> selected = new ArrayList<>();
    for (int gpu : gpus) {
      devices.add(new DeviceRef("gpu-7", "gpu-" + gpu));
      selected.add(uuid(gpu));
    }
    return new SeenClaim("fairlead-nlp/claim", owner, selected, devices);
  }

  @Test
  void nodeOffersItsWholeGpusByIndex() {
    String slice = gpu(9).replace("gpu-9", "gpu-10") + ", " + gpu(2);
    published.slice(null, slice("a", 1, slice));

    NodeReport node = shown();

    assertThat(node.gpus())
        .extracting(Gpu::index, Gpu::serial, Gpu::state)
        .containsExactly(tuple(0, uuid(2), GpuState.HEALTHY), tuple(1, uuid(9), GpuState.HEALTHY));
    assertThat(node.gpuModel()).isEqualTo("H100");
    assertThat(node.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(node.allocatable()).isEqualTo(ResourceVector.of(64_000, 1024, 2000, 110));
  }

  /** Fails when a MIG slice, or a device that no claim can select, counts as a GPU. */
  @Test
  void devicesOtherThanWholeGpusWithAUuidAreOmitted() {
    published.slice(
        null,
        slice(
            "a",
            1,
            gpu(0).replace("string: gpu}", "string: mig}"),
            gpu(1).replace("GPU-", "MIG-"),
            "{name: gpu-2}",
            "{name: gpu-3, attributes: {uuid: {int: 3}}}",
            gpu(4).replace("uuid:", "gpu.nvidia.com/uuid:"),
            gpu(5).replace("GPU-", ""),
            gpu(6).replace("GPU-", "gpu-")));

    assertThat(shown().gpus())
        .extracting(Gpu::serial)
        .containsExactly(uuid(4), uuid(6).replace("GPU-", "gpu-"));
  }

  @Test
  void uuidPublishedTwiceIsOneGpu() {
    published.slice(null, slice("a", 1, gpu(0), gpu(0).replace("gpu-0", "gpu-1")));

    assertThat(shown().gpus()).hasSize(1);
  }

  /** Fails when a driver that replaces its slices shows the GPUs of both generations. */
  @Test
  void onlySlicesOfTheNewestGenerationCount() {
    SeenSlice old = slice("a", 1, gpu(0), gpu(1));
    published.slice(null, old);
    published.slice(null, slice("b", 2, gpu(1)));

    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(1));

    published.slice(old, null);
    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(1));
  }

  /** Fails when GPUs count as lost while a driver replaces the slices of its pool one by one. */
  @Test
  void aPoolHasTheGpusOfItsLastCompleteGenerationUntilTheNewestIsComplete() {
    SeenSlice one = slice("gpu-7", "a", 1, 2, gpu(0));
    SeenSlice two = slice("gpu-7", "b", 1, 2, gpu(1));
    published.slice(null, one);
    published.slice(null, two);
    SeenSlice next = slice("gpu-7", "a", 2, 2, gpu(0), gpu(2));

    published.slice(one, next);
    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(0), uuid(1));
    published.slice(two, null);
    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(0), uuid(1));
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(2000);

    SliceInventory.Change last = published.slice(null, slice("gpu-7", "c", 2, 2, gpu(3)));
    assertThat(last.nodes()).containsExactly("gpu-7");
    assertThat(shown().gpus()).extracting(Gpu::serial).containsExactly(uuid(0), uuid(2), uuid(3));
  }

  /** Fails when a GPU that a driver taints gets jobs until the new generation is complete. */
  @Test
  void gpuTaintCountsInAnIncompleteGenerationUnlessItsNameIsReused() {
    SeenSlice one = slice("gpu-7", "a", 1, 2, gpu(0), gpu(1));
    published.slice(null, one);
    published.slice(null, slice("gpu-7", "b", 1, 2, gpu(2)));
    String taint = "{taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}], name";
    String renamed = gpu(9).replace("gpu-9", "gpu-1").replace("{name", taint);

    published.slice(one, slice("gpu-7", "a", 2, 2, gpu(0).replace("{name", taint), renamed));

    assertThat(shown().gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactly(
            tuple(uuid(0), GpuState.FAILED),
            tuple(uuid(1), GpuState.HEALTHY),
            tuple(uuid(2), GpuState.HEALTHY));
  }

  /** Fails when jobs are planned on GPUs that kube-scheduler does not allocate. */
  @Test
  void gpusOfANeverCompletePoolAreUnknown() {
    published.slice(null, slice("gpu-7", "a", 1, 2, gpu(0)));

    assertThat(shown().gpus()).extracting(Gpu::state).containsExactly(GpuState.UNKNOWN);
    assertThat(shown().allocatable().gpuMilli()).isZero();

    published.slice(null, slice("gpu-7", "b", 1, 2, gpu(1)));
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(2000);
  }

  @Test
  void poolWithoutSlicesHasNoGpus() {
    SeenSlice one = slice("gpu-7", "a", 1, 2, gpu(0));
    SeenSlice two = slice("gpu-7", "b", 1, 2, gpu(1));
    published.slice(null, one);
    published.slice(null, two);

    published.slice(one, null);
    assertThat(shown().gpus()).hasSize(2);
    published.slice(two, null);
    assertThat(shown().gpus()).isEmpty();
  }

  /** Fails when two jobs hold a moved GPU, on its former and its current node. */
  @Test
  void gpuPublishedByTwoNodesIsUnknownOnBoth() {
    published.slice(null, slice("a", 1, gpu(0), gpu(1)));
    SeenSlice other = slice("gpu-8", "b", 1, 1, gpu(1), gpu(2));

    assertThat(published.slice(null, other).nodes()).containsExactly("gpu-7", "gpu-8");
    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.UNKNOWN);
    assertThat(shown("gpu-8").gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.UNKNOWN, GpuState.HEALTHY);
    assertThat(shown("gpu-8").allocatable().gpuMilli()).isEqualTo(1000);

    assertThat(published.slice(other, null).nodes()).containsExactly("gpu-7", "gpu-8");
    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.HEALTHY, GpuState.HEALTHY);
  }

  /**
   * Fails when a GPU remains withheld on its node after the other node has published a new
   * generation.
   */
  @Test
  void gpuIsOfferedAgainWhenTheNewestSlicesOfTheOtherNodeLackIt() {
    published.slice(null, slice("a", 1, gpu(1)));
    published.slice(null, slice("gpu-8", "b", 1, 1, gpu(1)));
    assertThat(shown().allocatable().gpuMilli()).isZero();

    SliceInventory.Change change = published.slice(null, slice("gpu-8", "c", 2, 1, gpu(2)));

    assertThat(change.nodes()).contains("gpu-7");
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(1000);
  }

  @Test
  void taintedGpuIsUnusableAndAForeignClaimHoldsItsGpu() {
    String tainted =
        gpu(0).replace("{name", "{taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}], name");
    String unmonitored =
        gpu(1).replace("{name", "{taints: [{key: gpu.nvidia.com/unmonitored, effect: None}], name");
    published.slice(null, slice("a", 1, tainted, unmonitored, gpu(2)));
    SeenClaim foreign = claim(null, 2);

    assertThat(published.claim(null, foreign).nodes()).containsExactly("gpu-7");

    assertThat(shown().gpus())
        .extracting(Gpu::state)
        .containsExactly(GpuState.FAILED, GpuState.HEALTHY, GpuState.UNKNOWN);
    assertThat(shown().allocatable().gpuMilli()).isEqualTo(2000);
    assertThat(shown().foreign().gpuMilli()).isEqualTo(1000);
    published.claim(foreign, null);
    assertThat(shown().foreign().gpuMilli()).isZero();
  }

  @Test
  void memberHoldsTheDevicesOfItsClaimOncePublished() {
    SeenClaim.Owner owner = new SeenClaim.Owner(ATTEMPT, KEY);
    published.claim(null, claim(owner, 0, 2));
    assertThat(published.with(ATTEMPT, member(null)).devices()).isEmpty();

    SliceInventory.Change change = published.slice(null, slice("a", 1, gpu(0), gpu(1), gpu(2)));

    assertThat(change.members()).containsExactly(owner);
    ObservedMember holds = published.with(ATTEMPT, member(null));
    assertThat(holds.deviceSource()).isEqualTo(DeviceReporter.RESOURCE_CLAIM);
    assertThat(holds.devices())
        .containsExactly(new HeldDevice(uuid(0), false), new HeldDevice(uuid(2), false));
  }

  static ObservedMember running(String reason) {
    return member(reason).with().state(MemberState.RUNNING).node("gpu-7").build();
  }

  private String reason(String before) {
    return published.with(ATTEMPT, running(before)).reason();
  }

  /** Fails when a program stays on a GPU that its driver reports as faulty. */
  @Test
  void memberIsOnAnUnhealthyGpuWhileItsDriverTaintsOrWithdrawsIt() {
    SeenClaim.Owner owner = new SeenClaim.Owner(ATTEMPT, KEY);
    published.claim(null, claim(owner, 0, 1));
    SeenSlice healthy = slice("a", 1, gpu(0), gpu(1), gpu(2));
    SeenSlice without = slice("a", 2, gpu(0), gpu(2));
    SeenSlice tainted =
        slice(
            "a",
            3,
            gpu(0),
            gpu(1)
                .replace("{name", "{taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}], name"),
            gpu(2));
    String sick = "UnhealthyGpu " + uuid(1);
    published.slice(null, healthy);
    assertThat(reason(null)).isNull();

    assertThat(published.slice(healthy, without).members()).containsExactly(owner);
    assertThat(reason(null)).isEqualTo(sick);
    assertThat(reason("NodeLost")).as("another reason").isEqualTo("NodeLost");
    published.slice(without, tainted);
    assertThat(reason(sick)).isEqualTo(sick);
    published.slice(tainted, healthy);
    assertThat(reason(sick)).as("repaired").isNull();
    assertThat(published.with(ATTEMPT, member(null)).reason()).as("not running").isNull();
  }

  /** Fails when a node moves the jobs of another node by publishing GPUs with the same UUIDs. */
  @Test
  void aTaintThatAnotherNodePublishesIsNotAFaultOfTheGpu() {
    published.claim(null, claim(new SeenClaim.Owner(ATTEMPT, KEY), 1));
    published.slice(null, slice("a", 1, gpu(0), gpu(1)));
    String tainted =
        gpu(1).replace("{name", "{taints: [{key: gpu.nvidia.com/xid, effect: NoSchedule}], name");
    published.slice(null, slice("gpu-8", "b", 1, 1, tainted));
    assertThat(reason(null)).isNull();
  }

  /** Fails when the upgrade of a driver moves the jobs of its nodes. */
  @Test
  void stoppedDriverReplacedSlicesAndARenamedGpuReportNoFault() {
    published.claim(null, claim(new SeenClaim.Owner(ATTEMPT, KEY), 1));
    SeenSlice one = slice("gpu-7", "a", 1, 2, gpu(0));
    SeenSlice two = slice("gpu-7", "b", 1, 2, gpu(1));
    published.slice(null, one);
    published.slice(null, two);

    published.slice(two, null);
    assertThat(reason(null)).as("one of two slices").isNull();
    SeenSlice empty = slice("gpu-7", "a", 2, 1);
    published.slice(one, empty);
    assertThat(reason(null)).as("no GPU of the node").isNull();
    published.slice(empty, slice("gpu-7", "a", 3, 1, gpu(0), gpu(1).replace("gpu-1", "gpu-5")));
    assertThat(reason(null)).as("another name").isNull();
  }

  /** Fails when listing a pool with many nodes rebuilds all nodes for each slice. */
  @Test
  void sliceChangesOtherNodesOfItsPoolOnlyWithANewOrFinalGeneration() {
    SeenSlice first = slice("a", 1, gpu(0));
    SeenSlice second =
        new SeenSlice(
            "b",
            "gpu-7",
            1,
            1,
            List.of(
                new PublishedGpu(
                    new DeviceRef("gpu-7", "gpu-1"), "gpu-8", uuid(1), "", 0, false, null)));
    SeenSlice newer = new SeenSlice("b", "gpu-7", 2, 1, second.gpus());
    published.slice(null, first);

    assertThat(published.slice(null, second).nodes()).containsExactly("gpu-8");
    assertThat(published.slice(second, newer).nodes()).containsExactly("gpu-7", "gpu-8");
    assertThat(shown().gpus()).isEmpty();
    assertThat(published.slice(newer, second).nodes()).containsExactly("gpu-7", "gpu-8");
    assertThat(shown().gpus()).hasSize(1);
  }

  /** Fails when a claim with copied labels hides the devices of the claim that the pod uses. */
  @Test
  void claimCountsForAMemberOnlyUnderItsPodName() {
    String name = ObjectNames.pod(ATTEMPT, KEY);
    assertThat(read(name).member()).isEqualTo(new SeenClaim.Owner(ATTEMPT, KEY));
    assertThat(read("copied").member()).isNull();
  }

  private static SeenClaim read(String name) {
    Installation installation = new Installation(new UUID(3, 4), 1);
    ResourceClaim claim = new ResourceClaim();
    claim.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace("fairlead-nlp")
            .withLabels(ObjectLabels.of(installation, ATTEMPT, KEY))
            .build());
    return SeenClaim.of(claim, DRIVER, installation.label());
  }

  /** Fails when the reason of the deletion hides how a running member ends. */
  @Test
  void deletedClaimIsTheReasonOnlyOfAWaitingMember() {
    SeenClaim.Owner owner = new SeenClaim.Owner(ATTEMPT, KEY);
    published.claim(null, claim(owner));
    published.claim(claim(owner), null);

    assertThat(published.with(ATTEMPT, member(Member.AWAITS_NODE + " anything")).reason())
        .contains("ResourceClaim fairlead-nlp/claim was deleted")
        .contains("next attempt");
    assertThat(published.with(ATTEMPT, member("Error")).reason()).isEqualTo("Error");
  }
}
