package dev.fairlead.fleet.cluster.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rows that node lists and lookups by name read in a large fleet. */
class FleetReadsTest {
  private final Stores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final InventoryStore inventory = withoutWholeReads();
  private final Actor operator = new Actor(world.tenant().id(), "olga", Role.OPERATOR);
  private final Node one = world.node("node-1");

  /** Fails when a page, a count or a name is read from the list of all nodes. */
  @Test
  void requestsForSomeNodesDoNotReadTheWholeFleet() {
    Clusters clusters =
        new Clusters(
            stores.transactions(),
            inventory,
            new ConnectionCheck(new NoKubeconfig(), prometheus -> Optional.empty()),
            new Idempotency(stores.idempotency()),
            stores.audit(),
            stores.ids(),
            Clock.systemUTC());
    FleetCommands commands = new FleetCommands(stores.transactions(), inventory, stores.audit());
    Cluster cluster = world.cluster();
    int nodes = stores.inventory().nodes(cluster.id()).size();

    assertThat(clusters.all()).extracting(c -> c.size().nodes()).contains(nodes);
    assertThat(clusters.named(cluster.name()).size().nodes()).isEqualTo(nodes);
    List<NodeView> first = clusters.nodes(cluster.name(), Set.of(), null, null, 1);
    assertThat(first).containsExactly(new NodeView(one, cluster));
    assertThat(
            clusters.nodes(
                null,
                Set.of(NodeState.ACTIVE),
                null,
                new NodePage.Place(one.cluster(), one.name()),
                500))
        .hasSize(nodes - 1);
    assertThat(clusters.node("node-1").node()).isEqualTo(one);
    assertThat(FleetNames.nodes(inventory, List.of("node-2", one.id().text())))
        .containsExactly(one, world.node("node-2"));
    assertThat(commands.cordon(operator, "node-1", false).node().state())
        .isEqualTo(NodeState.CORDONED);
    assertThat(commands.move(operator, cluster.name(), ClusterEvent.DRAIN, false).size().nodes())
        .isEqualTo(nodes);
  }

  /** Fails when the first of several nodes of one name is returned. */
  @Test
  void nodeNameOnTwoClustersIsRejectedWithBothIds() {
    TestWorld other = TestWorld.in(stores);

    assertThatThrownBy(() -> FleetNames.node(inventory, "node-1"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("2 clusters have a node \"node-1\"")
        .hasMessageContaining(other.node("node-1").id().text());
  }

  private static final class NoKubeconfig implements KubeconfigReader {
    @Override
    public Answer read(String kubeconfig) {
      throw new AssertionError(kubeconfig);
    }

    @Override
    public Answer check(Connection.Kubernetes given) {
      throw new AssertionError(given);
    }
  }

  private InventoryStore withoutWholeReads() {
    return (InventoryStore)
        Proxy.newProxyInstance(
            InventoryStore.class.getClassLoader(),
            new Class<?>[] {InventoryStore.class},
            (_, method, arguments) -> {
              if (method.getName().equals("nodes") || method.getName().equals("fleet")) {
                throw new AssertionError("reads the whole fleet");
              }
              try {
                return method.invoke(stores.inventory(), arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }
}
