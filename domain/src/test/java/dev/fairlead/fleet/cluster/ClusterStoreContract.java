package dev.fairlead.fleet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of the clusters of every {@link InventoryStore}. */
public abstract class ClusterStoreContract {
  private static final Instant LATER = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void registeredClusterIsReadBack() {
    Cluster cluster = newCluster(world.uniqueName("eu"));
    Connection connection = new Connection.Simulated(List.of(new FleetPool(4, 8, "H100", 2, 2)));

    stores.inventory().insert(cluster, connection);

    assertThat(stores.inventory().cluster(cluster.id())).contains(cluster);
    assertThat(stores.inventory().clusterNamed(cluster.name())).contains(cluster);
    assertThat(stores.inventory().clusters()).contains(cluster, world.cluster());
    assertThat(stores.inventory().connection(cluster.id())).isEqualTo(connection);
  }

  @Test
  void credentialsAreReadBackForTheConnector() {
    Cluster cluster = newCluster(world.uniqueName("real"));
    Connection connection =
        new Connection.Kubernetes(
            "https://127.0.0.1:6443", "Q0E=", new Secret("token"), "Q0VSVA==", new Secret("key"));

    stores.inventory().insert(cluster, connection);

    assertThat(stores.inventory().connection(cluster.id())).isEqualTo(connection);
  }

  @Test
  void clusterNameIsUnique() {
    Cluster again = newCluster(world.cluster().name());

    Refused.by(
        Guard.NAME_TAKEN,
        () -> stores.inventory().insert(again, new Connection.Simulated(List.of())));
  }

  @Test
  void anUpdateWritesStateContactTroubleAndCapabilities() {
    Capabilities seen =
        new Capabilities(
            "v1.36.1",
            Capabilities.Fence.ENFORCED,
            GpuIdentity.OBSERVED,
            true,
            true,
            true,
            true,
            List.of("zone", "rack"),
            "k8s.example",
            true,
            List.of("fast", "slow"),
            new TreeMap<>(Map.of("dra", "no device class")),
            ClusterRight.LIST,
            List.of(
                IsolationFeature.enforced(IsolationFeature.FENCE),
                IsolationFeature.unknown(IsolationFeature.NETWORK, "not proven")),
            List.of(
                GpuComponent.present(
                    GpuComponent.Part.DRIVER,
                    new TreeMap<>(Map.of("550.90.07", 2, "570.124.06", 6)),
                    null),
                GpuComponent.unknown(GpuComponent.Part.GPU_OPERATOR, "may not list it")),
            Capabilities.Presence.PRESENT,
            List.of("gpu.nvidia.com", "mig.nvidia.com"));
    Cluster moved = world.cluster().moved(ClusterState.DEGRADED, LATER, "breaker open", seen);

    stores.inventory().update(moved);

    assertThat(world.cluster()).isEqualTo(moved);
  }

  /** Fails when the history of jobs refers to the row, or a node remains without its cluster. */
  @Test
  void removedClusterRemovesItsNodesAndItsPastAttemptsRemainReadable() {
    Attempt ended = world.succeed(world.run(world.place(world.submit(Specs.job("ran")))));
    Node node = world.node("node-1");
    Cluster cluster = world.cluster();

    stores.inventory().remove(cluster);

    assertThat(stores.inventory().cluster(cluster.id())).isEmpty();
    assertThat(stores.inventory().nameOf(cluster.id())).contains(cluster.name());
    assertThat(stores.inventory().nodes(cluster.id())).isEmpty();
    assertThat(stores.inventory().node(node.id())).isEmpty();
    assertThat(world.attempt(ended).members().getFirst().nodeName()).isEqualTo("node-1");
    stores.inventory().insert(newCluster(cluster.name()), new Connection.Simulated(List.of()));
  }

  @Test
  void busyOrChangedClusterIsNotRemoved() {
    Cluster old = world.cluster();
    world.run(world.place(world.submit(Specs.job("holds").gpus(2)), 0, "node-1"));
    Refused.by(Guard.REFERENCED, () -> stores.inventory().remove(old));

    Cluster changed = changed();
    Refused.by(Guard.VERSION, () -> stores.inventory().remove(changed));
    assertThat(world.node("node-1").allocated()).isNotEqualTo(ResourceVector.ZERO);
  }

  /** An empty cluster before its last change. */
  private Cluster changed() {
    Cluster before = newCluster(world.uniqueName("changed"));
    stores.inventory().insert(before, new Connection.Simulated(List.of()));
    stores.inventory().update(before.in(ClusterState.DRAINING));
    return before;
  }

  @Test
  void staleUpdateIsRejected() {
    Cluster old = world.cluster();
    stores.inventory().update(old.moved(ClusterState.DEGRADED, LATER, "first", old.capabilities()));

    Refused.by(
        Guard.VERSION,
        () ->
            stores
                .inventory()
                .update(old.moved(ClusterState.ACTIVE, LATER, "second", old.capabilities())));
    assertThat(world.cluster().trouble()).isEqualTo("first");
  }

  @Test
  void operatorFieldsAreWrittenWithOrWithoutAConnection() {
    Cluster before = world.cluster();
    Connection connection = stores.inventory().connection(before.id());
    ClusterSettings settings =
        ClusterSettings.of(
                List.of("example.com/rack"), ClusterSettings.Pinning.SCHEDULER, "rdma/hca")
            .withConsolidation(ClusterSettings.Consolidation.WHEN_IT_PAYS)
            .withCallback("https://fairlead.example.com")
            .withNodeLabelsAndTaints(ClusterSettings.NodeLabelPolicy.POOL_AND_QUARANTINE)
            .withDevices(PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com"));
    Cluster spot =
        before.configured(CapacityType.SPOT, new TreeMap<>(Map.of("H100", 2_500_000L)), settings);

    stores.inventory().configure(spot, null);

    assertThat(world.cluster()).isEqualTo(spot);
    assertThat(stores.inventory().connection(before.id())).isEqualTo(connection);
    Connection another =
        new Connection.Kubernetes(
            "https://203.0.113.10:6443", "Y2E=", new Secret("new-token"), null, null);
    stores
        .inventory()
        .configure(spot.configured(CapacityType.SPOT, new TreeMap<>(), settings), another);
    assertThat(stores.inventory().connection(before.id())).isEqualTo(another);
    assertThat(world.cluster().pricePerGpuHour()).isEmpty();
    // Fails without the version guard: the later of two operators would undo the change of the
    // first.
    Refused.by(Guard.VERSION, () -> stores.inventory().configure(spot, connection));
    assertThat(stores.inventory().connection(before.id())).isEqualTo(another);
  }

  @Test
  void contactIsRecordedWithoutANewVersion() {
    long version = world.cluster().version();

    stores.inventory().seen(world.cluster().id(), LATER);

    assertThat(world.cluster().lastSeenAt()).isEqualTo(LATER);
    assertThat(world.cluster().version()).isEqualTo(version);
  }

  private Cluster newCluster(String name) {
    TreeMap<String, Long> prices = new TreeMap<>();
    prices.put("H100", 2_500_000L);
    return new Cluster(
        new ClusterId(stores.ids().next()),
        name,
        ClusterKind.KUBERNETES,
        ClusterState.UNREACHABLE,
        CapacityType.SPOT,
        prices,
        ClusterSettings.of(
            List.of("example.com/rack"), ClusterSettings.Pinning.SCHEDULER, "rdma/hca"),
        Capabilities.UNOBSERVED,
        world.now(),
        null,
        "never seen",
        1);
  }
}
