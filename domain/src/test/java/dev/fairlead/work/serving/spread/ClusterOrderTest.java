package dev.fairlead.work.serving.spread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The order of clusters for a replica. */
class ClusterOrderTest {
  private static final TenantId TENANT = new TenantId(new UUID(4, 1));
  private static final ResourceVector EIGHT_GPUS = ResourceVector.of(64_000, 512_000, 8_000, 100);

  private final List<Cluster> clusters = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  /** A cluster with a free node. */
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
            ClusterSettings.DEFAULT,
            Capabilities.UNOBSERVED,
            Instant.EPOCH,
            null,
            null,
            1));
    nodes.add(
        new Node(
            new NodeId(new UUID(2, nodes.size())),
            clusters.getLast().id(),
            name + "-1",
            1,
            null,
            NodeStatus.EMPTY
                .with()
                .state(NodeState.ACTIVE)
                .gpuModel("H100")
                .gpuMemoryMiB(81_559)
                .allocatable(EIGHT_GPUS)
                .build()));
  }

  private void node(String cluster, UnaryOperator<Node> change) {
    nodes.replaceAll(node -> node.name().equals(cluster + "-1") ? change.apply(node) : node);
  }

  private List<String> order(List<String> named, Map<String, Integer> replicas) {
    Specs job = Specs.job("chat").gpus(1);
    return order(job.placement(PlacementSpec.ANYWHERE.withClusters(named)), replicas);
  }

  private List<String> order(Specs job, Map<String, Integer> replicas) {
    return ClusterOrder.of(job.build(), TENANT, new FleetSource.Fleet(clusters, nodes), replicas);
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

  /** Fails when a cluster that cannot run the job counts a replica that runs elsewhere. */
  @Test
  void clusterWithoutANodeThatFitsIsTriedLast() {
    List.of("ap", "eu", "us", "za").forEach(name -> cluster(name, ClusterState.ACTIVE));
    Map<String, Integer> used = Map.of("eu", 3, "us", 4, "za", 5);

    node("ap", node -> node.in(NodeState.CORDONED));
    assertThat(order(List.of(), used)).containsExactly("eu", "us", "za", "ap");
    node("ap", node -> node.in(NodeState.ACTIVE).in(pool(new TenantId(new UUID(4, 2)))));
    assertThat(order(List.of(), used)).containsExactly("eu", "us", "za", "ap");
    node("ap", node -> node.in(pool(TENANT)));
    assertThat(order(List.of(), used)).startsWith("ap");
    node("ap", node -> node.withStatus(node.status().withGpuModel("A100")));
    assertThat(order(Specs.job("chat").gpu(GpuRequest.whole(1, "H100")), used)).endsWith("ap");
    assertThat(order(Specs.job("chat").gpus(1), used)).startsWith("ap");
    assertThat(order(Specs.job("chat").gpus(9), used)).startsWith("ap");
    node("ap", node -> node.withStatus(node.status().withAllocatable(ResourceVector.ZERO)));
    assertThat(order(Specs.job("chat").gpus(1), used)).endsWith("ap");
  }

  @Test
  void poolsOfTheJobDecideWhichNodesFit() {
    cluster("ap", ClusterState.ACTIVE);
    cluster("eu", ClusterState.ACTIVE);
    node("eu", node -> node.in(pool(TENANT)));
    Specs job = Specs.job("chat").gpus(1);
    assertThat(order(job.placement(PlacementSpec.ANYWHERE.withPools(List.of("p"))), Map.of()))
        .containsExactly("eu", "ap");
  }

  /** Fails when a full cluster counts a replica that starts elsewhere. */
  @Test
  void fullClustersFollowThoseWithFreeNodes() {
    List.of("ap", "eu", "us").forEach(name -> cluster(name, ClusterState.ACTIVE));
    node("ap", node -> node.withStatus(node.status().withAllocated(EIGHT_GPUS)));
    node("eu", node -> node.withStatus(node.status().withGpuModel("A100")));
    assertThat(order(Specs.job("chat").gpu(GpuRequest.whole(1, "H100")), Map.of("us", 2)))
        .containsExactly("us", "ap", "eu");
  }

  private static NodePool pool(TenantId tenant) {
    return new NodePool("p", tenant, Spares.NONE, PoolWindows.NONE);
  }

  @Test
  void singleClusterNeedsNoChoice() {
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
