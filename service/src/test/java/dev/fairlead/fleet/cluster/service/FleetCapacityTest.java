package dev.fairlead.fleet.cluster.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.memory.MemoryReservationStore;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FleetCapacityTest {
  private static final ClusterId CLUSTER = new ClusterId(new UUID(0, 1));
  private static final ResourceVector NOTHING = ResourceVector.ZERO;
  private static final TenantId TENANT = new TenantId(new UUID(0, 2));
  private static final Actor ANA = new Actor(TENANT, "ana", Role.TENANT_MEMBER);

  @Test
  void unallocatedGpusAreFreeCordonedOrUnhealthyByTheirNode() {
    CapacityItem item =
        item(
            ClusterState.ACTIVE,
            node("open", NodeState.ACTIVE, NOTHING, healthy(1000), healthy(500), failed()),
            node("closed", NodeState.CORDONED, NOTHING, healthy(1000), healthy(0), failed()),
            node("emptied", NodeState.DRAINING, NOTHING, healthy(0)),
            node("silent", NodeState.UNREACHABLE, NOTHING, healthy(1000), healthy(0)));

    assertThat(item.total()).isEqualTo(9_000);
    assertThat(item.allocated()).isEqualTo(3_500);
    assertThat(item.free()).isEqualTo(500);
    assertThat(item.cordoned()).isEqualTo(2_000);
    assertThat(item.unhealthy()).isEqualTo(3_000);
  }

  @Test
  void aClusterOutOfServiceIsCordonedAndASilentOneUnhealthy() {
    Node node = node("n", NodeState.ACTIVE, NOTHING, healthy(0));

    assertThat(item(ClusterState.DRAINING, node).cordoned()).isEqualTo(1_000);
    assertThat(item(ClusterState.UNREACHABLE, node).unhealthy()).isEqualTo(1_000);
    assertThat(item(ClusterState.UNREACHABLE, node).free()).isZero();
  }

  @Test
  void gpusUsedByForeignPodsAreNeitherFreeNorPartOfAGang() {
    ResourceVector two = ResourceVector.of(0, 0, 2_000, 0);
    CapacityItem item =
        item(
            ClusterState.ACTIVE,
            node("n", NodeState.ACTIVE, two, healthy(0), healthy(0), healthy(0)));

    assertThat(item.foreign()).isEqualTo(2_000);
    assertThat(item.free()).isEqualTo(1_000);
    assertThat(item.largestGang()).containsExactly(new CapacityItem.LargestGang("host", 1, "n"));
  }

  /** Fails when a gang of whole GPUs is promised on GPUs that are offered in parts or slices. */
  @Test
  void sharedGpusAndSlicesDoNotCountForGangs() {
    Node n = node("n", NodeState.ACTIVE, NOTHING, healthy(0), healthy(0));
    Node parts =
        n.withStatus(n.status().labelled(new TreeMap<>(Map.of(GpuOffer.LABEL, "parts-4"))));

    CapacityItem item = item(ClusterState.ACTIVE, parts);

    assertThat(item.free()).isEqualTo(2_000);
    assertThat(item.largestGang()).allSatisfy(gang -> assertThat(gang.gpus()).isZero());
  }

  private static CapacityItem item(ClusterState state, Node... nodes) {
    return items(ANA, state, nodes).getFirst();
  }

  private static List<CapacityItem> items(Actor actor, ClusterState state, Node... nodes) {
    Capabilities seen =
        new Capabilities(
            "1.36",
            Capabilities.Fence.ABSENT,
            GpuIdentity.UNKNOWN,
            false,
            false,
            false,
            false,
            List.of("host"),
            "cluster.local",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Presence.UNKNOWN,
            List.of());
    Cluster cluster =
        new Cluster(
            CLUSTER,
            "c",
            ClusterKind.SIMULATED,
            state,
            CapacityType.RESERVED,
            new TreeMap<>(),
            ClusterSettings.DEFAULT,
            seen,
            Instant.EPOCH,
            null,
            null,
            1);
    return new FleetCapacity(
            () -> new FleetSource.Fleet(List.of(cluster), List.of(nodes)),
            new MemoryReservationStore(new MemoryDatabase()))
        .items(actor);
  }

  /** Fails when GPUs that a tenant may never use count as its capacity. */
  @Test
  void nodesOfAnotherTenantsPoolDoNotCountAsCapacity() {
    Node theirs =
        node("n", NodeState.ACTIVE, NOTHING, healthy(0))
            .in(
                new NodePool(
                    "theirs", new TenantId(new UUID(9, 9)), Spares.NONE, PoolWindows.NONE));

    assertThat(items(ANA, ClusterState.ACTIVE, theirs)).isEmpty();
    assertThat(items(new Actor(TENANT, "ops", Role.OPERATOR), ClusterState.ACTIVE, theirs))
        .extracting(CapacityItem::pool)
        .containsExactly("theirs");
  }

  private static Gpu healthy(int allocated) {
    return new Gpu(0, "s", GpuState.HEALTHY, allocated);
  }

  private static Gpu failed() {
    return new Gpu(0, "s", GpuState.FAILED, 0);
  }

  private static Node node(String name, NodeState state, ResourceVector foreign, Gpu... gpus) {
    TreeMap<String, String> topology = new TreeMap<>();
    topology.put("host", name);
    long held = Arrays.stream(gpus).mapToLong(Gpu::allocatedMilli).sum();
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(state)
            .gpuModel("H100")
            .gpuMemoryMiB(80_000)
            .allocatable(ResourceVector.of(64_000, 500_000, 1000L * gpus.length, 100))
            .allocated(ResourceVector.of(0, 0, held, 0))
            .foreign(foreign)
            .topology(topology)
            .bootId("boot")
            .gpus(List.of(gpus))
            .build();
    return new Node(new NodeId(new UUID(0, name.hashCode())), CLUSTER, name, 1, null, status);
  }
}
