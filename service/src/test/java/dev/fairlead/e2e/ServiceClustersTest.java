package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A model service on three clusters, one of which is drained or lost. */
class ServiceClustersTest extends ServiceScene {
  private final Map<String, SimulatedCluster> clusters = new TreeMap<>();

  @BeforeEach
  void threeClusters() {
    clusters.put("eu", cluster);
    clusters.put("us", fairlead.register("us", new FleetPool(1, 4, "H100", 1, 1)));
    clusters.put("ap", fairlead.register("ap", new FleetPool(1, 4, "H100", 1, 1)));
    pass(3);
  }

  private List<Attempt> live() {
    return jobs().stream()
        .filter(job -> !job.run().ended())
        .map(fairlead::attempts)
        .map(List::getLast)
        .filter(Attempt::live)
        .toList();
  }

  /** Replicas by the name of their cluster. */
  private SortedMap<String, Integer> replicas() {
    SortedMap<String, Integer> found = new TreeMap<>();
    live().forEach(each -> found.merge(name(each), 1, Integer::sum));
    return found;
  }

  private String name(Attempt attempt) {
    return stores.inventory().nameOf(attempt.cluster()).orElseThrow();
  }

  /** The cluster with the most replicas. */
  private String busiest() {
    return replicas().entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  private SortedMap<String, Integer> shares() {
    SortedMap<String, Integer> shares = new TreeMap<>();
    chat().clusters().forEach(each -> shares.put(each.name(), each.share()));
    return shares;
  }

  /** Fails when all replicas run on one cluster, so that its loss stops the service. */
  @Test
  void replicasAreSpreadOverTheClusters() {
    apply(server("v1"), 3, 6);
    pass(15);
    assertThat(replicas()).isEqualTo(Map.of("ap", 1, "eu", 1, "us", 1));
    assertThat(shares()).isEqualTo(Map.of("ap", 33, "eu", 34, "us", 33));

    apply(server("v2"), 3, 6);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(15);
    assertThat(replicas()).isEqualTo(Map.of("ap", 2, "eu", 2, "us", 2));
    assertThat(shares().values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
  }

  /** Fails when a replica waits for the preferred cluster although another has free GPUs. */
  @Test
  void replicaStartsElsewhereWhileThePreferredClusterIsFull() {
    for (int i = 0; i < 4; i++) {
      Job _ =
          fairlead.submit(
              Specs.job("batch-" + i)
                  .gpus(1)
                  .placement(PlacementSpec.ANYWHERE.withClusters(List.of("ap")))
                  .annotation("sim.fairlead.dev/run-for", "10h"));
    }
    pass(10);
    apply(server("v1"), 3, 6);
    pass(15);
    assertThat(ready()).isEqualTo(3);
    assertThat(replicas()).doesNotContainKey("ap").containsKeys("eu", "us");
  }

  @Test
  void replicasRunOnlyOnClustersThatTheJobNames() {
    Specs named = server("v1").placement(PlacementSpec.ANYWHERE.withClusters(List.of("us", "eu")));
    apply(named, 4, 6);
    pass(15);
    assertThat(replicas()).isEqualTo(Map.of("eu", 2, "us", 2));
  }

  /** Fails when clients are sent to a lost cluster until its replicas are replaced. */
  @Test
  void shareOfALostClusterMovesBeforeItsReplicasAreReplaced() {
    apply(server("v1"), 3, 6);
    pass(15);
    clusters.get("us").partition(true);
    int silent = 0;
    while (shares().containsKey("us") && silent < 60) {
      pass(1);
      silent++;
    }
    assertThat(silent).as("seconds until the share moved").isBetween(8, 20);
    assertThat(shares()).isEqualTo(Map.of("ap", 50, "eu", 50));
    assertThat(ready()).as("its replicas may still serve").isEqualTo(3);

    clusters.get("us").partition(false);
    pass(10);
    assertThat(shares()).containsKeys("ap", "eu", "us");
  }

  /** Fails when another process gives a lost cluster its share back until it has looked. */
  @Test
  void aRestartGivesALostClusterNoShare() {
    apply(server("v1"), 3, 6);
    pass(15);
    clusters.get("us").partition(true);
    pass(25);
    assertThat(shares()).isEqualTo(Map.of("ap", 50, "eu", 50));

    ServingLoop other = ServiceParts.serving(fairlead, ServiceParts.replicas(stores));
    for (int second = 0; second < 50; second++) {
      fairlead.pass(Duration.ofSeconds(1));
      other.tick();
      assertThat(shares()).as("after %d s", second).doesNotContainKey("us");
    }
  }

  /** Fails when a share moves although its cluster answers, or is silent for seconds only. */
  @Test
  void sharesOfClustersThatAnswerRemain() {
    apply(server("v1"), 3, 6);
    pass(15);
    SortedMap<String, Integer> before = shares();
    clusters.get("us").partition(true);
    pass(7);
    assertThat(shares()).isEqualTo(before);
    clusters.get("us").partition(false);
    pass(20);
    for (int second = 0; second < 14; second++) { // until the contact is stored again
      Cluster us = stores.inventory().clusterNamed("us").orElseThrow();
      stores
          .inventory()
          .update(
              us.moved(ClusterState.DEGRADED, us.lastSeenAt(), "refuses pods", us.capabilities()));
      ticks(loop, 1);
      assertThat(shares()).as("after %d s", second).isEqualTo(before);
    }
  }

  /** Fails when a drained cluster keeps a share without replicas. */
  @Test
  void shareOfADrainedClusterMovesWithItsReplicas() {
    apply(server("v1"), 3, 6);
    pass(15);
    assertThat(fairlead.drains().drainCluster(fairlead.operator(), "us", null, false)).isNotNull();
    for (int second = 0; second < 40; second++) {
      pass(1);
      assertThat(shares().values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
    }
    assertThat(shares()).containsOnlyKeys("ap", "eu");
  }

  /** Fails when a drain waits forever for replicas, or stops one before another is ready. */
  @Test
  void aDrainedClusterIsLeftWithoutLossOfReplicas() {
    apply(server("v1"), 3, 6);
    pass(15);
    String drained = busiest();

    assertThat(fairlead.drains().drainCluster(fairlead.operator(), drained, null, false))
        .isNotNull();

    for (int second = 0; second < 60; second++) {
      pass(1);
      assertThat(ready()).isGreaterThanOrEqualTo(3);
      assertThat(chat().replicas()).hasSizeLessThanOrEqualTo(6);
      assertThat(weight(1)).isEqualTo(100);
    }
    assertThat(replicas()).doesNotContainKey(drained);
    assertThat(chat().replicas()).hasSize(3);
    assertThat(stores.operations().running()).isEmpty();
  }

  /** Fails when replicas of a lost cluster count as ready, or are not replaced within seconds. */
  @Test
  void theReplicasOfALostClusterAreReplacedElsewhere() {
    apply(server("v1"), 3, 6);
    pass(15);
    String lost = busiest();
    int there = replicas().get(lost);
    clusters.get(lost).partition(true);

    int silent = 0;
    while (ready() == 3 && silent < 300) {
      pass(1);
      silent++;
    }
    assertThat(ready()).as("ready after %d s", silent).isEqualTo(3 - there);
    assertThat(chat().replicas().toString()).contains("cluster " + lost + " is UNREACHABLE");
    pass(10);
    assertThat(ready()).isEqualTo(3);
    assertThat(chat().replicas())
        .filteredOn(each -> each.condition() == Replica.Condition.READY)
        .hasSize(3);

    clusters.get(lost).partition(false);
    pass(60);
    assertThat(chat().replicas()).hasSize(3);
    assertThat(replicas()).doesNotContainKey(lost);
  }

  /** Fails when a supervisor that is not connected yet moves replicas or traffic. */
  @Test
  void anotherSupervisorMovesNoReplica() {
    apply(server("v1"), 2, 6);
    pass(100);
    ServiceState before = state();

    unseen("eu");
    ticks(loop, 15);
    assertThat(state()).as("one cluster is not seen").isEqualTo(before);

    unseen();
    ticks(loop, 10);
    assertThat(state()).as("no cluster is seen").isEqualTo(before);
  }

  /** Fails when a restart, after which no cluster is seen yet, moves replicas or traffic. */
  @Test
  void aRestartMovesNoReplica() {
    apply(server("v1"), 2, 6);
    pass(15);
    ServiceState before = state();

    stores.clock().advance(Duration.ofMinutes(10)); // no process runs
    unseen();
    ticks(ServiceParts.serving(fairlead, ServiceParts.replicas(stores)), 10);

    assertThat(state()).isEqualTo(before);
  }

  private void ticks(ServingLoop of, int seconds) {
    for (int second = 0; second < seconds; second++) {
      stores.clock().advance(Duration.ofSeconds(1));
      of.tick();
    }
  }

  /** Stores all clusters as unseen, like a supervisor before it connects. */
  private void unseen() {
    stores.inventory().clusters().forEach(each -> unseen(each.name()));
  }

  private void unseen(String name) {
    Cluster cluster = stores.inventory().clusterNamed(name).orElseThrow();
    stores.inventory().update(cluster.in(ClusterState.UNREACHABLE));
  }

  /** Fails when an order of a process that has seen no cluster yet trusts its last report. */
  @Test
  void ordersWithoutKnowledgeOfAClusterLeaveTheTrafficToTheLoop() {
    apply(server("v1"), 2, 4);
    pass(15);
    apply(server("v2"), 2, 4);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(15);
    assertThat(weight(2)).isEqualTo(100);
    unseen("us");

    ServiceParts.models(fairlead, ServiceParts.replicas(stores))
        .rollback(fairlead.ana(), CHAT, 1, false);
    assertThat(weight(2)).isEqualTo(100);
    pass(15);
    assertThat(weight(1)).isEqualTo(100);
  }

  /**
   * Fails when traffic is removed from running replicas because only their API server does not
   * respond.
   */
  @Test
  void withoutAnyClusterTheRoutesRemain() {
    apply(server("v1"), 3, 3);
    pass(15);
    for (SimulatedCluster each : clusters.values()) {
      each.partition(true);
      pass(1); // the first silent cluster must not move its share to the others
    }

    for (int second = 0; second < 180; second++) {
      pass(1);
      assertThat(weight(1)).as("after %d s", second).isEqualTo(100);
      assertThat(shares()).as("after %d s", second).hasSize(3);
    }
    assertThat(ready()).isZero();
    clusters.values().forEach(each -> each.partition(false));
    for (int second = 0; second < 30; second++) {
      pass(1);
      assertThat(weight(1)).isEqualTo(100);
    }
    assertThat(ready()).isEqualTo(3);
    assertThat(jobs()).hasSize(3);
  }

  /** Fails when the maintenance of one node waits for a model service. */
  @Test
  void replicasLeaveADrainedNode() {
    apply(server("v1"), 2, 3);
    pass(15);
    NodeId node = live().getFirst().members().getFirst().node();

    assertThat(
            fairlead
                .drains()
                .drainNode(
                    fairlead.operator(),
                    stores.inventory().node(node).orElseThrow().id().text(),
                    null,
                    false))
        .isNotNull();
    for (int second = 0; second < 90; second++) {
      pass(1);
      assertThat(ready()).isGreaterThanOrEqualTo(2);
    }

    assertThat(live()).hasSize(2).noneMatch(each -> on(each, node));
  }

  private static boolean on(Attempt attempt, NodeId node) {
    return attempt.members().stream().anyMatch(member -> member.node().equals(node));
  }

  /** Fails when a drain stops replicas of the floor that cannot be replaced. */
  @Test
  void withoutRoomForAnotherReplicaTheDrainWaits() {
    apply(server("v1"), 3, 3);
    pass(15);
    String drained = busiest();
    int there = replicas().get(drained);
    assertThat(fairlead.drains().drainCluster(fairlead.operator(), drained, null, false))
        .isNotNull();
    pass(60);

    assertThat(ready()).isEqualTo(3);
    assertThat(replicas()).containsEntry(drained, there);
    List<Job> jobs = jobs();
    assertThat(jobs).hasSize(3);
  }
}
