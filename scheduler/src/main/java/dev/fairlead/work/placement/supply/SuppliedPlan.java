package dev.fairlead.work.placement.supply;

import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the nodes that waiting jobs need and that only a provisioner could add. The engine plans
 * the world a second time, with all the nodes that provisioners may add. It counts the added nodes
 * that jobs get in that plan if the engine does not start these jobs without them. Quota, tiers,
 * prices, windows and topology therefore decide as for existing nodes.
 */
public final class SuppliedPlan {
  /**
   * Maximum number of nodes that one pool requests in a pass, except for one gang that needs more.
   */
  private static final int MOST = 64;

  private SuppliedPlan() {}

  /**
   * Returns the number of nodes by pool. Pools with a provisioner without capacity are omitted, and
   * nodes that were already requested are not counted again.
   *
   * @param workBudget work budget of each of the two plans
   */
  public static SortedMap<PoolId, Integer> wanted(World world, long workBudget) {
    SortedMap<PoolId, Integer> wanted = new TreeMap<>();
    List<SupplyOffer> offers =
        world.offers().stream()
            .filter(offer -> offer.room() > 0 && offer.stockOut() == null)
            .toList();
    if (offers.isEmpty() || world.pending().isEmpty()) {
      return wanted;
    }
    SortedMap<PoolId, Integer> coming = new TreeMap<>();
    world.offers().forEach(offer -> coming.put(offer.pool(), offer.coming()));
    SortedMap<NodeId, PoolId> imagined = new TreeMap<>();
    Plan then = plan(withNodes(world, imagined), workBudget);
    SortedMap<PoolId, SortedSet<NodeId>> used = new TreeMap<>();
    if (usesAny(then, imagined)) {
      SortedSet<String> now = starts(plan(world, workBudget));
      for (Decision decision : then.decisions()) {
        if (decision instanceof Decision.Place place && !now.contains(start(place))) {
          count(place, imagined, coming, used);
        }
      }
    }
    for (SupplyOffer offer : offers) {
      int more =
          used.getOrDefault(offer.pool(), Collections.emptySortedSet()).size() - offer.coming();
      if (more > 0) {
        wanted.put(offer.pool(), Math.min(more, offer.room()));
      }
    }
    return wanted;
  }

  private static World withNodes(World world, SortedMap<NodeId, PoolId> imagined) {
    SortedMap<ClusterId, Cluster> active = new TreeMap<>();
    for (Cluster cluster : world.clusters()) {
      if (cluster.state() == ClusterState.ACTIVE) {
        active.put(cluster.id(), cluster);
      }
    }
    List<Node> nodes = new ArrayList<>(world.nodes());
    for (SupplyOffer offer : world.offers()) {
      Cluster cluster = active.get(offer.cluster());
      if (cluster != null) {
        int more = offer.stockOut() == null ? offer.room() : 0;
        for (Node node : offer.nodes(cluster, offer.coming() + more)) {
          nodes.add(node);
          imagined.put(node.id(), offer.pool());
        }
      }
    }
    return world.toBuilder().nodes(nodes).build();
  }

  private static Plan plan(World world, long workBudget) {
    return new SchedulingEngine().plan(new Snapshot(world, List.of(), workBudget));
  }

  private static boolean usesAny(Plan plan, SortedMap<NodeId, PoolId> imagined) {
    return plan.decisions().stream()
        .anyMatch(decision ->
            decision instanceof Decision.Place place
                && place.members().stream().anyMatch(m -> imagined.containsKey(m.node())));
  }

  private static SortedSet<String> starts(Plan plan) {
    SortedSet<String> starts = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place place) {
        starts.add(start(place));
      }
    }
    return starts;
  }

  private static String start(Decision.Place place) {
    return place.job().text() + "/" + place.element();
  }

  /**
   * A gang requests all its nodes together. A gang behind others waits if the total would exceed
   * the maximum.
   */
  private static void count(
      Decision.Place place,
      SortedMap<NodeId, PoolId> imagined,
      SortedMap<PoolId, Integer> coming,
      SortedMap<PoolId, SortedSet<NodeId>> used) {
    SortedMap<PoolId, SortedSet<NodeId>> with = new TreeMap<>();
    for (Member member : place.members()) {
      PoolId pool = imagined.get(member.node());
      if (pool != null) {
        with.computeIfAbsent(
                pool, p -> new TreeSet<>(used.getOrDefault(p, Collections.emptySortedSet())))
            .add(member.node());
      }
    }
    boolean fits =
        with.entrySet().stream()
            .allMatch(each -> {
              int before = used.getOrDefault(each.getKey(), Collections.emptySortedSet()).size();
              int paid = coming.getOrDefault(each.getKey(), 0);
              return before <= paid || each.getValue().size() <= paid + MOST;
            });
    if (fits) {
      used.putAll(with);
    }
  }
}
