package dev.fairlead.work.serving.spread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The order of clusters for a replica. */
class ClusterOrderTest {
  private final List<Cluster> clusters = new ArrayList<>();

  private void cluster(String name, ClusterState state, long... price) {
    TreeMap<String, Long> prices = new TreeMap<>();
    if (price.length > 0) {
      prices.put("H100", price[0]);
    }
    clusters.add(
        new Cluster(
            new ClusterId(new UUID(3, clusters.size())),
            name,
            ClusterKind.SIMULATED,
            state,
            CapacityType.RESERVED,
            prices,
            Capabilities.UNOBSERVED,
            Instant.EPOCH,
            null,
            null,
            1));
  }

  private List<String> order(List<String> named, Map<String, Integer> replicas) {
    return ClusterOrder.of(named, clusters, replicas);
  }

  @Test
  void clusterWithTheFewestReplicasIsTriedFirst() {
    cluster("ap", ClusterState.ACTIVE);
    cluster("eu", ClusterState.ACTIVE);
    cluster("us", ClusterState.ACTIVE);
    assertThat(order(List.of(), Map.of("ap", 2, "eu", 1))).containsExactly("us", "eu", "ap");
  }

  @Test
  void lowerPriceDecidesBetweenClustersWithEqualNumbers() {
    cluster("ap", ClusterState.ACTIVE);
    cluster("eu", ClusterState.ACTIVE, 3_000_000);
    cluster("us", ClusterState.ACTIVE, 2_000_000);
    assertThat(order(List.of(), Map.of())).containsExactly("us", "eu", "ap");
    assertThat(order(List.of(), Map.of("us", 1))).containsExactly("eu", "ap", "us");
  }

  @Test
  void orderOfTheJobPrecedesThePriceAndExcludesOtherClusters() {
    cluster("ap", ClusterState.ACTIVE, 1_000_000);
    cluster("eu", ClusterState.ACTIVE, 3_000_000);
    cluster("us", ClusterState.ACTIVE, 2_000_000);
    assertThat(order(List.of("eu", "us"), Map.of())).containsExactly("eu", "us");
  }

  @Test
  void clusterThatAcceptsNoJobsIsNotPreferred() {
    cluster("ap", ClusterState.DRAINING);
    cluster("eu", ClusterState.ACTIVE);
    cluster("us", ClusterState.ACTIVE);
    cluster("sa", ClusterState.UNREACHABLE);
    assertThat(order(List.of(), Map.of("eu", 9))).containsExactly("us", "eu");
  }

  @Test
  void oneClusterIsNoChoice() {
    cluster("eu", ClusterState.ACTIVE);
    assertThat(order(List.of(), Map.of())).isEmpty();
    cluster("us", ClusterState.ACTIVE);
    assertThat(order(List.of("us"), Map.of())).isEmpty();
  }

  /** Fails when the numbers of replicas on two clusters differ by more than one. */
  @Test
  void replicasThatFollowTheOrderAreSpreadEvenly() {
    List.of("ap", "eu", "sa", "us").forEach(name -> cluster(name, ClusterState.ACTIVE));
    Map<String, Integer> replicas = new HashMap<>();
    for (int i = 0; i < 50; i++) {
      replicas.merge(order(List.of(), replicas).getFirst(), 1, Integer::sum);
      int least = replicas.size() < 4 ? 0 : replicas.values().stream().min(Integer::compare).get();
      assertThat(replicas.values()).allMatch(count -> count - least <= 1);
    }
  }
}
