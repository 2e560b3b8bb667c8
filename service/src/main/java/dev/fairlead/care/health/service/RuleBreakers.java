package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Breaker;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.RuleReplay;
import dev.fairlead.care.health.quarantine.RuleReplay.Isolated;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Checks the replay of a rule against the circuit breakers of clusters, pools and the fleet. A node
 * counts for its current pool. A node that left its cluster or has no GPUs counts only for its
 * cluster.
 */
@Component
public class RuleBreakers {
  private static final int NAMED = 10;

  private final InventoryStore inventory;
  private final HealthStore health;

  public RuleBreakers(InventoryStore inventory, HealthStore health) {
    this.inventory = inventory;
    this.health = health;
  }

  /**
   * Explains for each cluster, each pool and the fleet how far the rule exceeds the circuit
   * breaker. The rule exceeds the breaker if it would have quarantined more nodes at a time than
   * the breaker allows, and more than the current rule. The text names the first nodes.
   */
  List<String> refusals(RuleReplay proposed, RuleReplay present) {
    Excess excess = new Excess(proposed, present);
    Set<ClusterId> clusters = new TreeSet<>();
    proposed.hits().forEach(hit -> clusters.add(hit.cluster()));
    for (ClusterId cluster : clusters) {
      String name = inventory.nameOf(cluster).orElse(cluster.text());
      excess.note(
          Breaker.Scope.CLUSTER,
          "cluster " + name,
          inventory.size(cluster).gpuNodes(),
          hit -> hit.cluster().equals(cluster));
    }
    SortedMap<NodeId, String> pools = pools(proposed);
    for (String pool : new TreeSet<>(pools.values())) {
      if (!pool.isEmpty()) {
        excess.note(
            Breaker.Scope.POOL,
            "pool " + pool,
            health.isolated(pool).all(),
            hit -> pool.equals(pools.get(hit.node())));
      }
    }
    if (!pools.isEmpty()) {
      excess.note(
          Breaker.Scope.FLEET,
          "the fleet",
          health.isolated(null).all(),
          hit -> pools.containsKey(hit.node()));
    }
    return excess.refusals;
  }

  /** Returns the pool name of each node in service with GPUs, empty for a node without a pool. */
  private SortedMap<NodeId, String> pools(RuleReplay replay) {
    Set<NodeId> nodes = new TreeSet<>();
    replay.hits().forEach(hit -> nodes.add(hit.node()));
    SortedMap<NodeId, String> pools = new TreeMap<>();
    for (Node node : nodes.isEmpty() ? List.<Node>of() : inventory.inService(nodes)) {
      NodePool pool = node.pool();
      if (!node.gpus().isEmpty()) {
        pools.put(node.id(), pool == null ? "" : pool.name());
      }
    }
    return pools;
  }

  private record Excess(RuleReplay proposed, RuleReplay present, List<String> refusals) {
    Excess(RuleReplay proposed, RuleReplay present) {
      this(proposed, present, new ArrayList<>());
    }

    void note(Breaker.Scope scope, String of, int all, Predicate<Isolated> counted) {
      List<Isolated> peak = proposed.peak(counted);
      int most = Breaker.of(scope).most(all);
      if (peak.size() > most && peak.size() > present.peak(counted).size()) {
        refusals.add(
            "it would quarantine %d nodes of %s at the same time, which has %d GPU nodes, but the circuit breaker allows %d: %s"
                .formatted(peak.size(), of, all, most, names(peak)));
      }
    }
  }

  private static String names(List<Isolated> hits) {
    String named =
        hits.stream().limit(NAMED).map(Isolated::nodeName).collect(Collectors.joining(", "));
    return hits.size() > NAMED ? named + " and " + (hits.size() - NAMED) + " more" : named;
  }
}
