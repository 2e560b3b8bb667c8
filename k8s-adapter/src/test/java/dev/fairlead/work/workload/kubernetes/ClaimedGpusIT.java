package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods with GPUs by ResourceClaims, on nodes with the ResourceSlices of a driver of the test. */
@OnControlPlane
class ClaimedGpusIT {
  private static final long EPOCH = 5;
  private static final String DRIVER = "gpu.nvidia.com";
  private static final String MANIFEST = "deploy/cluster-dra.yaml";
  private static final ActionOutcome DONE = new ActionOutcome.Done(new TreeSet<>());
  private static TestCluster cluster;
  private static int generation;
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(random()), installation, installation.label());
  private final String namespace = "fairlead-" + installation.label();
  private String node;
  private ClusterGateway gateway;

  @BeforeEach
  void aNodeWithFourGpus() {
    cluster = KubernetesCluster.shared();
    assumeTrue(cluster.owns(), "only where a scheduler can be started");
    cluster.start("kube-scheduler");
    cluster.applies(MANIFEST);
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: gpu.nvidia.com}
        spec:
          selectors:
          - cel: {expression: "device.driver == 'gpu.nvidia.com'"}
        """);
    node = cluster.nodes("claimed", 2, 0, 1).getLast();
    publish("{name: without-uuid}", gpu(0), gpu(1), gpu(2), gpu(3));
    gateway =
        RealCluster.synced(
            installation,
            cluster,
            ClusterSettings.DEFAULT.withDevices(PodDevices.claimed(DRIVER, DRIVER)));
    RealCluster.eventually(
        "the epoch is ours", () -> gateway.claim(EPOCH, 0).equals(EpochClaim.OURS));
    gpus(serials -> serials.size() == 4);
  }

  @AfterEach
  void close() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @AfterAll
  static void withdraw() {
    if (cluster != null && cluster.owns()) {
      cluster.withdraws(MANIFEST);
      List<StatusDetails> _ = cluster.admin().resources(ResourceSlice.class).delete();
      List<StatusDetails> _ = cluster.admin().resources(DeviceClass.class).delete();
    }
  }

  @Test
  void gpusOfANodeAreThosePublishedByItsDriver() {
    publish(
        gpu(0),
        gpu(1).replace("GPU-", "MIG-"),
        "{name: gpu-2, attributes: {productName: {string: NVIDIA H100 80GB HBM3}}}",
        gpu(3)
            .replace(
                "{name",
                "{taints: [{key: gpu.nvidia.com/xid, value: \"79\", effect: NoSchedule}], name"));

    NodeReport report = gpus(serials -> serials.size() == 2);

    assertThat(report.gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactly(tuple(uuid(0), GpuState.HEALTHY), tuple(uuid(3), GpuState.FAILED));
    assertThat(report.gpuModel()).isEqualTo("H100");
    assertThat(report.gpuMemoryMiB()).isEqualTo(81_559);
    assertThat(report.allocatable().gpuMilli()).isEqualTo(1000);
    RealCluster.eventually(
        "the capabilities are known",
        () -> gateway.capabilities().gpuIdentity() == GpuIdentity.ENFORCED);
    Capabilities found = gateway.capabilities();
    assertThat(found.deviceClasses()).containsExactly(DRIVER);
    assertThat(found.reasons()).doesNotContainKeys("dra", "gpuIdentity");
  }

  /** Fails when a missing permission for GPUs also blocks the nodes and pods of the cluster. */
  @Test
  void clusterThatForbidsSlicesAndClaimsIsReachableWithoutGpusAndReportsTheNextStep() {
    gateway.close();
    cluster.withdraws(MANIFEST);
    gateway =
        RealCluster.synced(
            installation,
            cluster,
            ClusterSettings.DEFAULT.withDevices(PodDevices.claimed(DRIVER, DRIVER)));

    assertThat(report().gpus()).isEmpty();
    assertThat(gateway.capabilities().reasons().get("dra"))
        .contains("apply deploy/cluster-dra.yaml");
    cluster.applies(MANIFEST);
    gpus(serials -> serials.size() == 4);
    RealCluster.eventually(
        "the reason ends", () -> !gateway.capabilities().reasons().containsKey("dra"));
  }

  /** Fails when the scheduler of the cluster may choose a different device than Fairlead. */
  @Test
  void memberGetsExactlyItsPlannedGpus() {
    LaunchOrder order = order("exact", 2, uuid(1), uuid(3));

    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);

    ObservedMember runs =
        until(order, m -> m.state() == MemberState.RUNNING && !m.devices().isEmpty());
    assertThat(runs.node()).isEqualTo(node);
    assertThat(runs.deviceSource()).isEqualTo(DeviceReporter.RESOURCE_CLAIM);
    assertThat(runs.devices()).extracting(HeldDevice::gpu).containsExactly(uuid(1), uuid(3));
    ResourceClaim claim = claim(order);
    assertThat(claim.getStatus().getAllocation().getDevices().getResults())
        .extracting(DeviceRequestAllocationResult::getDevice)
        .containsExactlyInAnyOrder("gpu-1", "gpu-3");
    Pod pod = cluster.admin().pods().inNamespace(namespace).withName(name(order)).get();
    Container main = pod.getSpec().getContainers().getFirst();
    assertThat(main.getResources().getLimits()).doesNotContainKey("nvidia.com/gpu");
    retire(order);
  }

  @Test
  void sliceThatShrinksBelowAnAllocationLeavesItsHolderUnchanged() {
    LaunchOrder order = order("shrunk", 1, uuid(3));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    until(order, m -> m.state() == MemberState.RUNNING && !m.devices().isEmpty());

    publish(gpu(0), gpu(1));

    assertThat(gpus(serials -> serials.size() == 2).gpus())
        .extracting(Gpu::serial)
        .containsExactly(uuid(0), uuid(1));
    assertThat(until(order, m -> true).state()).isEqualTo(MemberState.RUNNING);
    retire(order);
    LaunchOrder late = order("late", 1, uuid(3));
    assertThat(RealCluster.answered(gateway, launch(late)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> {
              assertThat(refused.why()).isEqualTo(ActionOutcome.Why.PLACE_REFUSED);
              assertThat(refused.message()).contains("no usable " + uuid(3));
            });
  }

  @Test
  void gpuClaimedByOthersIsNotOffered() {
    ForeignPods.namespace(cluster, "others");
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: foreign, namespace: others}
        spec:
          devices:
            requests:
            - name: gpu
              exactly:
                deviceClassName: gpu.nvidia.com
                selectors:
                - cel: {expression: "has(device.attributes['gpu.nvidia.com'].uuid) && device.attributes['gpu.nvidia.com'].uuid == '%s'"}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: foreign, namespace: others}
        spec:
          resourceClaims: [{name: gpu, resourceClaimName: foreign}]
          containers: [{name: main, image: registry.example.com/a:1, resources: {claims: [{name: gpu}]}}]
        """
            .formatted(uuid(2)));

    NodeReport report = gpus(serials -> state(uuid(2)) == GpuState.UNKNOWN);

    assertThat(report.foreign().gpuMilli()).isEqualTo(1000);
    assertThat(report.allocatable().gpuMilli()).isEqualTo(4000);
    String _ =
        cluster.kubectl("delete", "-n", "others", "pod/foreign", "resourceclaim/foreign", "--now");
    gpus(serials -> state(uuid(2)) == GpuState.HEALTHY);
  }

  @Test
  void failedAllocationAndDeletedClaimReportTheCauseAndTheNextStep() {
    LaunchOrder first = order("first", 1, uuid(0));
    LaunchOrder second = order("second", 1, uuid(0));
    assertThat(RealCluster.answered(gateway, launch(first))).isEqualTo(DONE);
    until(first, m -> m.state() == MemberState.RUNNING);

    assertThat(RealCluster.answered(gateway, launch(second))).isEqualTo(DONE);

    String look = "kubectl describe resourceclaim -n " + namespace + " " + name(second);
    ObservedMember waits =
        until(second, m -> String.valueOf(m.reason()).contains("cannot allocate all claims"));
    assertThat(waits.reason()).startsWith(Member.AWAITS_NODE).endsWith(look);
    String _ = cluster.kubectl("delete", "-n", namespace, "resourceclaim/" + name(second));
    String lost = "ResourceClaim " + namespace + "/" + name(second) + " was deleted";
    until(second, m -> String.valueOf(m.reason()).contains(lost));
    stop(second);
    retire(second);
    stop(first);
    retire(first);
  }

  @Test
  void stolenIdentityClaimsNothingOutsideOfAttempts() {
    ForeignPods.namespace(cluster, "others");
    ForeignPods.namespace(cluster, "fairlead-claims");
    String _ =
        cluster.kubectl(
            "label", "namespace/fairlead-claims", "resource.kubernetes.io/admin-access=true");
    try (KubernetesClient fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build()) {
      LaunchOrder order = order("stolen", 1, uuid(0));
      Member member = order.attempt().members().getFirst();
      var anchor = ManifestFactory.anchor(order);
      anchor.getMetadata().setUid("uid");
      ResourceClaim claim =
          ManifestFactory.claim(
              order,
              member,
              anchor,
              ClusterSettings.DEFAULT.withDevices(PodDevices.claimed(DRIVER, DRIVER)));
      claim.getMetadata().setNamespace("others");
      assertThatThrownBy(() -> fairlead.resource(claim).dryRun().create())
          .hasMessageContaining("only in namespaces of projects");
      claim.getMetadata().setNamespace("fairlead-claims");
      claim.getSpec().getDevices().getRequests().getFirst().getExactly().setAdminAccess(true);
      assertThatThrownBy(() -> fairlead.resource(claim).dryRun().create())
          .hasMessageContaining("administrative access");
      claim.getSpec().getDevices().getRequests().getFirst().getExactly().setAdminAccess(null);
      claim.getMetadata().getLabels().put("fairlead.dev/epoch", "1");
      assertThatThrownBy(() -> fairlead.resource(claim).dryRun().create())
          .hasMessageContaining("is older");
    }
  }

  private GpuState state(String uuid) {
    return report().gpus().stream()
        .filter(gpu -> gpu.serial().equals(uuid))
        .map(Gpu::state)
        .findFirst()
        .orElse(null);
  }

  private NodeReport report() {
    return gateway.inventory().nodes().stream()
        .filter(n -> n.name().equals(node))
        .findFirst()
        .orElseThrow();
  }

  private NodeReport gpus(Predicate<List<String>> holds) {
    RealCluster.eventually(
        "the node has these GPUs",
        () ->
            gateway.inventory().nodes().stream().anyMatch(n -> n.name().equals(node))
                && holds.test(report().gpus().stream().map(Gpu::serial).toList()));
    return report();
  }

  private static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0000-00000000000" + gpu;
  }

  private static String gpu(int number) {
    return """
    {name: gpu-%d, attributes: {type: {string: gpu}, uuid: {string: %s}, productName: {string: NVIDIA H100 80GB HBM3}}, capacity: {memory: {value: 81559Mi}}}\
    """
        .formatted(number, uuid(number));
  }

  /** Like a driver: a slice of a new generation. */
  private void publish(String... devices) {
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: %1$s}
        spec:
          driver: gpu.nvidia.com
          nodeName: %1$s
          pool: {name: %1$s, generation: %2$d, resourceSliceCount: 1}
          devices: [%3$s]
        """
            .formatted(node, ++generation, String.join(", ", devices)));
  }

  private LaunchOrder order(String name, int gpus, String... planned) {
    NodeReport report = report();
    List<Gpu> chosen = new ArrayList<>();
    for (String uuid : planned) {
      chosen.add(new Gpu(chosen.size(), uuid, GpuState.HEALTHY, 0));
    }
    NodeReport only =
        new NodeReport(
            report.name(),
            true,
            false,
            false,
            false,
            report.gpuModel(),
            report.gpuMemoryMiB(),
            report.allocatable(),
            report.foreign(),
            report.labels(),
            List.of(),
            report.topology(),
            report.bootId(),
            chosen,
            List.of(),
            NodeLabelsAndTaints.NONE);
    return orders.order(
        EPOCH, Specs.job(name).gpus(gpus).build(), List.of(only), gateway.capabilities());
  }

  private static String name(LaunchOrder order) {
    return ObjectNames.pod(
        order.attempt().id(), MemberKey.of(order.attempt().members().getFirst()));
  }

  private ResourceClaim claim(LaunchOrder order) {
    return cluster
        .admin()
        .resources(ResourceClaim.class)
        .inNamespace(namespace)
        .withName(name(order))
        .get();
  }

  private ObservedMember until(LaunchOrder order, Predicate<ObservedMember> holds) {
    MemberKey key = MemberKey.of(order.attempt().members().getFirst());
    ObservedMember[] seen = new ObservedMember[1];
    RealCluster.eventually(
        "the member is as it should be",
        () -> {
          var workload = gateway.workloadsSince(0).workloads().get(order.attempt().id());
          seen[0] = workload == null ? null : workload.member(key).orElse(null);
          return seen[0] != null && holds.test(seen[0]);
        });
    return seen[0];
  }

  private void stop(LaunchOrder order) {
    List<MemberKey> members = order.attempt().members().stream().map(MemberKey::of).toList();
    RealCluster.answered(
        gateway,
        new WorkloadAction.Stop(order.attempt().id(), namespace, Duration.ofSeconds(1), members));
    until(order, m -> m.state() == MemberState.FAILED || m.state() == MemberState.SUCCEEDED);
  }

  private void retire(LaunchOrder order) {
    List<MemberKey> members = order.attempt().members().stream().map(MemberKey::of).toList();
    assertThat(
            RealCluster.answered(
                gateway,
                new WorkloadAction.Retire(
                    order.attempt().id(), namespace, members, new TreeSet<>())))
        .isEqualTo(DONE);
    RealCluster.eventually("the claim is removed", () -> claim(order) == null);
  }

  private static WorkloadAction launch(LaunchOrder order) {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
