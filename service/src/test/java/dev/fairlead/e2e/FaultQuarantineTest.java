package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.service.CapacityItem;
import dev.fairlead.fleet.cluster.service.FleetCapacity;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.Job;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Quarantines after a fault, and the circuit breaker that bounds them. */
class FaultQuarantineTest extends FaultScene {

  @Test
  void capacityNeverCountsAQuarantinedNodeUntilItIsReleased() {
    fairlead.pass(Duration.ofSeconds(5));
    Node sick = stores.inventory().nodes(null).getFirst();
    report(79, sick, 0);
    assertThat(free()).isEqualTo(8L * (POOL - 1));

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    assertThat(free()).as("the cluster has not shown it yet").isEqualTo(8L * (POOL - 1));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(free()).isEqualTo(8L * POOL);
    assertThat(stores.health().incidents(null, null, 9)).allMatch(i -> i.endedAt() != null);
    assertThatThrownBy(() -> commands.release(fairlead.operator(), sick.name(), "again", false))
        .isInstanceOf(Refusal.class);
  }

  /**
   * Fails when a quarantine is not shown on its node, reveals an operator's text, or remains after
   * its end.
   */
  @Test
  void nodeShowsItsQuarantineReasonUntilItsRelease() {
    Cluster cluster = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withNodeLabelsAndTaints(NodeLabelPolicy.POOL_AND_QUARANTINE)),
            null);
    fairlead.pass(Duration.ofSeconds(2));
    Node sick = stores.inventory().nodes(null).getFirst();
    Node suspect = stores.inventory().nodes(null).getLast();
    commands.hold(fairlead.operator(), suspect.name(), "call Ana", null, false);
    commands.hold(fairlead.operator(), sick.name(), "before the fault", null, false);
    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(shown(suspect)).isEqualTo(new NodeLabelsAndTaints(null, "operator"));
    assertThat(shown(sick).quarantine())
        .startsWith("XID-79-GPU-has-fallen-off-the-bus")
        .hasSizeLessThanOrEqualTo(63);
    assertThat(node(sick.name()).taints()).as("placement goes by the row").isEmpty();

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(shown(sick)).isEqualTo(NodeLabelsAndTaints.NONE);
    assertThat(shown(suspect)).isEqualTo(new NodeLabelsAndTaints(null, "operator"));
  }

  private NodeLabelsAndTaints shown(Node node) {
    return eu.nodeNow(node.name()).orElseThrow().labelsAndTaints();
  }

  private long free() {
    CapacityItem item =
        new FleetCapacity(stores.inventory()::fleet, stores.reservations())
            .items(fairlead.operator())
            .getFirst();
    return item.free() / 1000;
  }

  @Test
  void quarantineEndsAfterADayUnlessAnOperatorHoldsIt() {
    // Fails when an incident that is neither ended nor held never ends.
    fairlead.pass(Duration.ofSeconds(5));
    List<Node> nodes = stores.inventory().nodes(null);
    report(79, nodes.get(0), 0);
    report(79, nodes.get(1), 0);
    commands.hold(fairlead.operator(), nodes.get(1).name(), "waits for a part", null, false);
    stores.clock().advance(Quarantine.UNHELD);
    fairlead.pass(Duration.ofSeconds(5));

    assertThat(node(nodes.get(0).name()).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(node(nodes.get(1).name()).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(stores.health().standing(nodes.get(1).cluster()))
        .extracting(Quarantine::owner)
        .containsExactly("olga");
  }

  @Test
  void operatorQuarantinesAndReleasesWithoutAnIncident() {
    Job job = running("goes-on", 8);
    Node node = nodeOf(job);
    commands.hold(fairlead.operator(), node.name(), "smells", Duration.ofHours(1), false);
    fairlead.pass(Duration.ofSeconds(5));

    assertThat(node(node.name()).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(fairlead.attempts(job)).as("what runs goes on").hasSize(1);
    stores.clock().advance(Duration.ofHours(1));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(stores.health().standing(node.cluster())).isEmpty();
  }

  @Test
  void breakerStopsQuarantinesAndReportsIt() {
    // Fails when a monitor with reports about every node isolates the cluster.
    fairlead.pass(Duration.ofSeconds(5));
    List<Node> nodes = stores.inventory().nodes(null);
    nodes.forEach(node -> report(79, node, 0));

    assertThat(stores.health().standing(nodes.getFirst().cluster())).hasSize(2);
    Incident shown = incident(report(79, nodes.getLast(), 1));
    assertThat(shown.isolation()).satisfies(reason("fault.isolated-gpu-nodes-cluster", 2, 8, 2));
    assertThat(node(nodes.getLast().name()).state()).isEqualTo(NodeState.ACTIVE);
    commands.hold(fairlead.operator(), nodes.getLast().name(), "by hand", null, false);
    assertThat(node(nodes.getLast().name()).state()).isEqualTo(NodeState.QUARANTINED);
  }

  private Incident reportOf(String cluster, Node node) {
    events++;
    HealthEvent event =
        new HealthEvent("e-" + events, stores.clock().instant(), node.name(), null, null, 79, "");
    return incident(intake.take(fairlead.operator(), cluster, List.of(event)).getFirst());
  }

  private List<Node> nodesOf(String cluster) {
    return stores.inventory().nodes(null).stream()
        .filter(node -> stores.inventory().nameOf(node.cluster()).equals(Optional.of(cluster)))
        .toList();
  }

  private List<Incident> reportAll(String cluster) {
    return nodesOf(cluster).stream().map(node -> reportOf(cluster, node)).toList();
  }

  /** Fails when faults that are few in their cluster isolate a whole pool. */
  @Test
  void poolBreakerRetainsHalfOfThePool() {
    fairlead.register("us", new FleetPool(6, 8, "H100", 1, 1), new FleetPool(2, 8, "H200", 1, 1));
    fairlead.pass(Duration.ofSeconds(5));
    stores
        .pools()
        .insert(
            new Pool(
                new PoolId(stores.ids().next()),
                "large",
                null,
                new PoolSelector(List.of(), List.of("H200"), new TreeMap<>(), List.of()),
                "",
                Spares.NONE,
                PoolWindows.NONE,
                1));
    int _ = stores.inventory().assign(stores.pools().pools());

    List<String> said =
        stores.inventory().nodes(null).stream()
            .filter(node -> node.pool() != null)
            .map(node -> reportOf("us", node).isolation())
            .toList();

    assertThat(said).hasSize(2);
    assertThat(said.getFirst()).endsWith("takes nothing new");
    assertThat(said.getLast()).satisfies(reason("fault.isolated-gpu-nodes-pool", 1, 2, "large"));
  }

  /** Fails when each of many small clusters loses the single node that the breaker allows. */
  @Test
  void fleetBreakerCountsAllClusters() {
    for (int i = 1; i <= 12; i++) {
      fairlead.register("c" + i, new FleetPool(1, 8, "H100", 1, 1));
    }
    fairlead.pass(Duration.ofSeconds(5));
    for (int i = 1; i <= 8; i++) {
      assertThat(reportAll("c" + i).getFirst().isolation()).endsWith("takes nothing new");
    }
    assertThat(reportAll("c9").getFirst().isolation())
        .satisfies(reason("fault.isolated-gpu-nodes-fleet", 8, 20));

    Node any =
        stores.inventory().nodes(null).stream()
            .filter(node -> node.state() == NodeState.QUARANTINED)
            .findFirst()
            .orElseThrow();
    commands.release(fairlead.operator(), any.id().text(), "exchanged", false);
    assertThat(reportAll("c9").getFirst().isolation()).endsWith("takes nothing new");
  }
}
