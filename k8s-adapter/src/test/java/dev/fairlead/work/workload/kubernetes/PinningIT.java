package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that the cluster's own scheduler binds to their planned node. */
@OnControlPlane
class PinningIT {
  private static final long EPOCH = 5;
  private static final ActionOutcome DONE = new ActionOutcome.Done(new TreeSet<>());
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(random()), installation, installation.label());
  private final String namespace = "fairlead-" + installation.label();
  private TestCluster cluster;
  private String node;
  private ClusterGateway gateway;

  @BeforeEach
  void prepare() {
    cluster = KubernetesCluster.shared();
    if (cluster.owns()) {
      cluster.start("kube-scheduler");
    }
    node = cluster.nodes("pinned", 2, 8, 1).getLast();
  }

  @AfterEach
  void close() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @Test
  void podRunsOnItsPlannedNodeThoughTheSchedulerBindsIt() {
    connect(Pinning.SCHEDULER);
    LaunchOrder order = order(Specs.job("bound").gpus(1).build());
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    ObservedMember runs = until(order, m -> m.state() == MemberState.RUNNING);
    assertThat(runs.node()).isEqualTo(node);
    assertThat(pod().getSpec().getAffinity()).isNotNull();
    assertThat(pod().getSpec().getPriorityClassName()).isEqualTo("fairlead-normal");
    retire(order);
  }

  @Test
  void unschedulablePodReportsItAndLeavesNoObject() {
    connect(Pinning.SCHEDULER);
    LaunchOrder order = order(Specs.job("large").cpuMilli(500_000).build());
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    until(order, m -> "Unschedulable".equals(m.reason()));
    MemberKey key = MemberKey.of(order.attempt().members().getFirst());
    RealCluster.answered(
        gateway,
        new WorkloadAction.Stop(
            order.attempt().id(), namespace, Duration.ofSeconds(1), List.of(key)));
    ObservedMember ended = until(order, m -> m.state() == MemberState.FAILED);
    assertThat(ended.started()).isFalse();
    retire(order);
  }

  @Test
  void waitForFirstConsumerClaimIsBoundForThePlannedNode() {
    assumeTrue(cluster.owns(), "only where volumes may be made");
    connect(Pinning.DIRECT);
    LaunchOrder absent = order(withClaim("nothing"));
    assertThat(RealCluster.answered(gateway, launch(absent)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            r -> {
              assertThat(r.message()).contains("no volume claim nothing");
              assertThat(r.why()).isEqualTo(ActionOutcome.Why.CLAIM_MISSING);
            });
    claim("scratch");
    LaunchOrder order = order(withClaim("scratch"));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    // With a direct binding, the claim would wait for a scheduler forever, and the pod for the
    // claim.
    until(order, m -> m.state() == MemberState.RUNNING);
    assertThat(
            cluster
                .admin()
                .persistentVolumeClaims()
                .inNamespace(namespace)
                .withName("scratch")
                .get()
                .getStatus()
                .getPhase())
        .isEqualTo("Bound");
    retire(order);
  }

  @Test
  void reportNamesOfferedFeaturesAndTheCauseOfMissingOnes() {
    connect(Pinning.DIRECT);
    RealCluster.fenced(gateway, EPOCH);
    Capabilities found = gateway.capabilities();
    assertThat(found.serverVersion()).startsWith("v1.");
    assertThat(found.priorityClasses()).isTrue();
    assertThat(found.topologyLevels()).containsExactly("zone", "block", "rack", "host");
    assertThat(found.reasons())
        .containsKeys("gpuIdentity", "mig", "networkPolicy", "sharing")
        .doesNotContainKeys("fence", "priorityClasses")
        .containsEntry("dra", "it has no device class");
  }

  @Test
  void levelsAreThoseNamedByTheOperator() {
    ClusterSettings settings =
        ClusterSettings.of(List.of("topology.fairlead.dev/rack"), Pinning.DIRECT, null);
    gateway = RealCluster.synced(installation, cluster, settings);
    RealCluster.eventually("nodes are seen", () -> !gateway.inventory().nodes().isEmpty());
    assertThat(gateway.capabilities().topologyLevels()).containsExactly("rack");
    assertThat(gateway.inventory().nodes().getFirst().topology()).containsOnlyKeys("rack");
  }

  private void connect(Pinning pinning) {
    gateway =
        RealCluster.synced(installation, cluster, ClusterSettings.DEFAULT.withPinning(pinning));
    RealCluster.eventually(
        "the epoch is ours", () -> gateway.claim(EPOCH, 0).equals(EpochClaim.OURS));
    RealCluster.eventually(
        "the node is seen",
        () -> gateway.inventory().nodes().stream().anyMatch(n -> n.name().equals(node)));
  }

  private LaunchOrder order(JobSpec spec) {
    List<NodeReport> planned =
        gateway.inventory().nodes().stream().filter(n -> n.name().equals(node)).toList();
    return orders.order(EPOCH, spec, planned, gateway.capabilities());
  }

  private static JobSpec withClaim(String claim) {
    return Specs.job("reads")
        .build()
        .withVolumes(List.of(JobSpec.VolumeSpec.ofClaim(claim, "/data", false)));
  }

  /** A claim of a class with delayed binding, and a suitable volume on the planned node. */
  private void claim(String name) {
    Map<String, Quantity> size = Map.of("storage", new Quantity("1Gi"));
    var admin = cluster.admin();
    admin
        .resource(
            new StorageClassBuilder()
                .withNewMetadata()
                .withName("waits")
                .endMetadata()
                .withProvisioner("kubernetes.io/no-provisioner")
                .withVolumeBindingMode("WaitForFirstConsumer")
                .build())
        .serverSideApply();
    PersistentVolume volume =
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewSpec()
            .withCapacity(size)
            .withAccessModes("ReadWriteOnce")
            .withStorageClassName("waits")
            .withNewLocal()
            .withPath("/data")
            .endLocal()
            .withNewNodeAffinity()
            .withNewRequired()
            .addNewNodeSelectorTerm()
            .addNewMatchExpression()
            .withKey("kubernetes.io/hostname")
            .withOperator("In")
            .withValues(node)
            .endMatchExpression()
            .endNodeSelectorTerm()
            .endRequired()
            .endNodeAffinity()
            .endSpec()
            .build();
    PersistentVolumeClaim claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .endMetadata()
            .withNewSpec()
            .withAccessModes("ReadWriteOnce")
            .withStorageClassName("waits")
            .withNewResources()
            .withRequests(size)
            .endResources()
            .endSpec()
            .build();
    admin.resource(volume).serverSideApply();
    admin.resource(claim).serverSideApply();
  }

  private Pod pod() {
    return cluster.admin().pods().inNamespace(namespace).list().getItems().getFirst();
  }

  private ObservedMember until(LaunchOrder order, Predicate<ObservedMember> holds) {
    MemberKey key = MemberKey.of(order.attempt().members().getFirst());
    ObservedMember[] seen = new ObservedMember[1];
    RealCluster.eventually(
        "the member is as it should be, not " + seen[0],
        () -> {
          var workload = gateway.workloadsSince(0).workloads().get(order.attempt().id());
          seen[0] = workload == null ? null : workload.member(key).orElse(null);
          return seen[0] != null && holds.test(seen[0]);
        });
    return seen[0];
  }

  private void retire(LaunchOrder order) {
    List<MemberKey> members = order.attempt().members().stream().map(MemberKey::of).toList();
    assertThat(
            RealCluster.answered(
                gateway,
                new WorkloadAction.Retire(
                    order.attempt().id(), namespace, members, new TreeSet<>())))
        .isEqualTo(DONE);
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  private static WorkloadAction launch(LaunchOrder order) {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
