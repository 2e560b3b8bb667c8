package dev.fairlead.work.placement.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.NodeTerms;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each filter alone, and the order in which filters count. */
class FiltersTest {
  private static Cluster cluster(ClusterState state, boolean sharing) {
    Capabilities none = Capabilities.UNOBSERVED;
    Capabilities now =
        new Capabilities(
            "",
            none.fence(),
            none.gpuIdentity(),
            sharing,
            false,
            false,
            false,
            List.of(),
            "",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Presence.UNKNOWN,
            List.of());
    return new Cluster(
        new ClusterId(new UUID(1, 1)),
        "c",
        ClusterKind.SIMULATED,
        state,
        CapacityType.RESERVED,
        Collections.emptySortedMap(),
        ClusterSettings.DEFAULT,
        now,
        Instant.EPOCH,
        null,
        null,
        1);
  }

  private static final Cluster ACTIVE = cluster(ClusterState.ACTIVE, false);

  private static Node node(NodeState state, String model, long memory, Taint... taints) {
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(state)
            .gpuModel(model)
            .gpuMemoryMiB(memory)
            .labels(new TreeMap<>(Map.of("disk", "nvme")))
            .taints(List.of(taints))
            .build();
    return new Node(new NodeId(new UUID(1, 1)), ACTIVE.id(), "n", 1, null, status);
  }

  private static final Node H100 = node(NodeState.ACTIVE, "H100", 81_559);

  private static MemberShape member(GpuRequest gpu, Map<String, String> labels) {
    return new MemberShape(
        0,
        "worker",
        1,
        1,
        gpu,
        1000,
        1024,
        false,
        null,
        new NodeTerms(
            new TreeMap<>(labels),
            Neighbours.ANY,
            Numa.NONE,
            Collections.emptySortedMap(),
            BookedNodes.NONE,
            false,
            Collections.emptySortedSet()));
  }

  private static MemberShape member(GpuRequest gpu) {
    return member(gpu, Map.of());
  }

  @ParameterizedTest
  @EnumSource(ClusterState.class)
  void onlyAnActiveClusterAcceptsMembers(ClusterState state) {
    assertThat(new ClusterStateFilter().admits(cluster(state, false), H100))
        .isEqualTo(state == ClusterState.ACTIVE);
  }

  @ParameterizedTest
  @EnumSource(NodeState.class)
  void onlyAnActiveNodeAcceptsMembers(NodeState state) {
    assertThat(new NodeStateFilter().admits(ACTIVE, node(state, "H100", 0)))
        .isEqualTo(state == NodeState.ACTIVE);
  }

  @Test
  void gpuOnlyNodeAcceptsOnlyMembersWithGpus() {
    Node tainted =
        node(
            NodeState.ACTIVE, "H100", 81_559, new Taint("nvidia.com/gpu", "present", "NoSchedule"));
    assertThat(refusing(ACTIVE, tainted, member(GpuRequest.whole(1)))).isNull();
    assertThat(refusing(ACTIVE, tainted, member(GpuRequest.NONE))).isEqualTo("GPU_ONLY");
  }

  @Test
  void onlySlurmAcceptsMembersWithoutAContainerAndNoOthers() {
    MemberShape contained = member(GpuRequest.NONE);
    NodeTerms terms = contained.terms();
    MemberShape bare =
        contained.withTerms(
            new NodeTerms(
                terms.nodeLabels(),
                terms.neighbours(),
                terms.numa(),
                terms.backsOff(),
                terms.booked(),
                true,
                terms.losses()));
    Cluster slurm = ACTIVE.withKind(ClusterKind.SLURM);
    Cluster kubernetes = ACTIVE.withKind(ClusterKind.KUBERNETES);

    assertThat(refusing(slurm, H100, bare)).isNull();
    assertThat(refusing(slurm, H100, contained)).isEqualTo("CONTAINER");
    assertThat(refusing(kubernetes, H100, bare)).isEqualTo("CONTAINER");
    assertThat(refusing(kubernetes, H100, contained)).isNull();
  }

  @Test
  void hardTaintsExcludeNodesExceptOurOwn() {
    TaintFilter filter = new TaintFilter();
    assertThat(
            filter.admits(ACTIVE, node(NodeState.ACTIVE, "", 0, new Taint("k", "", "NoSchedule"))))
        .isFalse();
    assertThat(
            filter.admits(ACTIVE, node(NodeState.ACTIVE, "", 0, new Taint("k", "", "NoExecute"))))
        .isFalse();
    assertThat(
            filter.admits(
                ACTIVE, node(NodeState.ACTIVE, "", 0, new Taint("k", "", "PreferNoSchedule"))))
        .isTrue();
    assertThat(
            filter.admits(
                ACTIVE,
                node(NodeState.ACTIVE, "", 0, new Taint("fairlead.dev/gpu", "", "NoSchedule"))))
        .isTrue();
    assertThat(
            filter.admits(
                ACTIVE,
                node(NodeState.ACTIVE, "", 0, new Taint("sim.fairlead.dev/x", "", "NoExecute"))))
        .isTrue();
    assertThat(
            filter.admits(
                ACTIVE,
                node(NodeState.ACTIVE, "", 0, new Taint("notfairlead.dev/x", "", "NoExecute"))))
        .isFalse();
  }

  /**
   * Fails when a node that another installation took out of service is given to jobs of this one.
   */
  @Test
  void foreignQuarantineRepelsMembers() {
    Taint foreign = new Taint("fairlead.dev/quarantine", "XID-79", "NoSchedule");
    Node sick = node(NodeState.ACTIVE, "H100", 81_559, foreign);
    assertThat(refusing(ACTIVE, sick, member(GpuRequest.whole(1)))).isEqualTo("TAINTS");
  }

  @Test
  void allRequestedLabelsMustMatch() {
    LabelFilter filter = new LabelFilter();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.NONE, Map.of("disk", "nvme"))))
        .isTrue();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.NONE, Map.of("disk", "hdd"))))
        .isFalse();
  }

  @Test
  void modelMustMatchARequestedOne() {
    GpuModelFilter filter = new GpuModelFilter();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.whole(1, "H200", "H100")))).isTrue();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.whole(1, "H200")))).isFalse();
    assertThat(filter.admits(ACTIVE, node(NodeState.ACTIVE, "CPU", 0), member(GpuRequest.whole(1))))
        .isFalse();
    assertThat(
            filter.admits(
                ACTIVE,
                node(NodeState.ACTIVE, "A100-80GB", 0),
                member(GpuRequest.whole(1, "A100"))))
        .isTrue();
  }

  @Test
  void deviceMemoryMustSuffice() {
    GpuRequest large = new GpuRequest(GpuRequest.Kind.WHOLE, 1, 0, 0, null, List.of(), 100_000);
    assertThat(new GpuMemoryFilter().admits(ACTIVE, H100, member(large))).isFalse();
    assertThat(new GpuMemoryFilter().admits(ACTIVE, H100, member(GpuRequest.whole(1)))).isTrue();
  }

  @Test
  void sharedGpusAreAdmittedOnlyWhereSharingIsEnforced() {
    SharingFilter filter = new SharingFilter();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.fraction(500)))).isFalse();
    assertThat(
            filter.admits(
                cluster(ClusterState.ACTIVE, true), H100, member(GpuRequest.fraction(500))))
        .isTrue();
    assertThat(filter.admits(ACTIVE, H100, member(GpuRequest.whole(1)))).isTrue();
  }

  @Test
  void slicesAreAdmittedOnlyOnPartitionedGpus() {
    GpuRequest mig = new GpuRequest(GpuRequest.Kind.MIG, 1, 0, 0, "1g.10gb", List.of(), 0);
    assertThat(new MigFilter().admits(ACTIVE, H100, member(mig))).isFalse();
    assertThat(new MigFilter().admits(ACTIVE, H100, member(GpuRequest.whole(1)))).isTrue();
  }

  @Test
  void nodeCountsForTheFirstFilterThatRejectsIt() {
    Node cordoned = node(NodeState.CORDONED, "L4", 0);
    assertThat(refusing(ACTIVE, cordoned, member(GpuRequest.whole(1, "H100")))).isEqualTo("HEALTH");
    assertThat(refusing(ACTIVE, H100, member(GpuRequest.whole(1, "L4")))).isEqualTo("MODEL");
    assertThat(refusing(ACTIVE, H100, member(GpuRequest.whole(1)))).isNull();
  }

  @Test
  void realClusterGrantsFractionsOnlyIfItsGpusAreSharedThatWay() {
    Cluster real = kind(ClusterKind.KUBERNETES, cluster(ClusterState.ACTIVE, true));
    Node quarters = labelled(H100, Map.of(GpuOffer.LABEL, "parts-4"));
    SharingFilter filter = new SharingFilter();
    assertThat(filter.admits(real, quarters, member(GpuRequest.fraction(250)))).isTrue();
    // Five of these would fit by size, but the node has four parts.
    assertThat(filter.admits(real, quarters, member(GpuRequest.fraction(200)))).isFalse();
    assertThat(filter.admits(real, quarters, member(GpuRequest.fraction(300)))).isFalse();
    assertThat(filter.admits(real, quarters, member(GpuRequest.whole(1)))).isFalse();
    assertThat(filter.admits(real, quarters, member(GpuRequest.NONE))).isTrue();
    assertThat(filter.admits(real, H100, member(GpuRequest.fraction(250)))).isFalse();
    assertThat(filter.admits(real, H100, member(GpuRequest.whole(1)))).isTrue();
  }

  private static Cluster kind(ClusterKind kind, Cluster c) {
    return new Cluster(
        c.id(),
        c.name(),
        kind,
        c.state(),
        c.capacity(),
        c.pricePerGpuHour(),
        ClusterSettings.DEFAULT,
        c.capabilities(),
        c.createdAt(),
        null,
        null,
        c.version());
  }

  private static Node labelled(Node n, Map<String, String> labels) {
    return n.withStatus(n.status().labelled(new TreeMap<>(labels)));
  }

  private static @Nullable String refusing(Cluster cluster, Node node, MemberShape member) {
    String standing = Filters.standingConstraint(cluster, node);
    int refusing = Filters.refusingMember(cluster, node, member);
    return standing != null || refusing < 0 ? standing : Filters.constraint(refusing);
  }
}
