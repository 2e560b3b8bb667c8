package dev.fairlead.work.workload.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Gateways that requests opened, in a process that supervises no cluster. */
class ClusterConnectionsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final ClusterId id = world.cluster().id();

  /** Connections of opened gateways, and the number of closed ones. */
  private final List<Connection> opened = new ArrayList<>();

  private int closed;
  private final ClusterConnections gateways =
      new ClusterConnections(List.of(new Counting()), stores.inventory(), stores.leases());
  private final GatewayLoop loop = new GatewayLoop(stores.inventory(), gateways);

  private final class Counting implements ClusterConnector {
    @Override
    public ClusterKind kind() {
      return world.cluster().kind();
    }

    @Override
    public ClusterGateway connect(
        Installation installation, Cluster cluster, Connection connection) {
      opened.add(connection);
      return (ClusterGateway)
          Proxy.newProxyInstance(
              ClusterGateway.class.getClassLoader(),
              new Class<?>[] {ClusterGateway.class},
              (self, method, arguments) -> {
                closed += method.getName().equals("close") ? 1 : 0;
                return null;
              });
    }
  }

  private Cluster row() {
    return stores.inventory().cluster(id).orElseThrow();
  }

  /** Fails when only processes that supervise clusters read the rows of clusters. */
  @Test
  void otherCredentialsAreUsedFromTheNextRequestOn() {
    gateways.of(id);
    loop.tick();
    assertThat(closed).isZero();
    Connection other = new Connection.Simulated(List.of(new FleetPool(3, 8, "H200", 1, 1)));
    Cluster now = row();
    stores
        .inventory()
        .configure(now.configured(now.capacity(), now.pricePerGpuHour(), now.settings()), other);

    loop.tick();

    assertThat(closed).isOne();
    gateways.of(id);
    assertThat(opened).hasSize(2).last().isEqualTo(other);
  }

  /** Fails when a disabled cluster stays connected, or a request connects it again. */
  @Test
  void aDisabledClusterIsNotConnected() {
    gateways.of(id);
    stores.inventory().update(row().in(ClusterState.DISABLED));

    loop.tick();

    assertThat(closed).isOne();
    assertThat(gateways.of(id)).isEmpty();
    assertThat(opened).hasSize(1);
  }
}
