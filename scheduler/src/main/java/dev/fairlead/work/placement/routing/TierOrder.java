package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.GangShape;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The rank of an assignment in its tier. Prices in several currencies cannot be compared, so a tier
 * with such assignments is ordered as if none had a price.
 *
 * @param cost cost of an hour if the tier is ordered by cost, else 0
 * @param type position of the capacity type in the tier's list, 0 without one
 */
record TierOrder(long cost, int type, int cluster, int pool) implements Comparable<TierOrder> {
  private static final TierOrder SAME = new TierOrder(0, 0, 0, 0);

  /** Returns the ranks in the order of the assignments. */
  static List<TierOrder> of(GangShape gang, List<FlavorAssignment> assignments, Fleet fleet) {
    if (gang.tiers().policy().none()) {
      return assignments.stream().map(assignment -> SAME).toList();
    }
    SortedMap<Integer, SortedSet<String>> currencies = new TreeMap<>();
    List<TierRank> all =
        assignments.stream().map(assignment -> TierRank.of(gang, assignment, fleet)).toList();
    for (TierRank each : all) {
      if (each.cost != null) {
        currencies
            .computeIfAbsent(each.assignment.tier(), t -> new TreeSet<>())
            .add(each.cost.currency());
      }
    }
    return all.stream().map(each -> each.order(currencies)).toList();
  }

  /** An assignment with its cost, null if unknown or not requested. */
  private record TierRank(
      FlavorAssignment assignment, RoutingPolicy.Tier rule, @Nullable Money cost) {
    static TierRank of(GangShape gang, FlavorAssignment assignment, Fleet fleet) {
      RoutingPolicy.Tier rule = gang.tiers().policy().tiers().get(assignment.tier());
      boolean asked = rule.order() == RoutingPolicy.Order.CHEAPEST;
      return new TierRank(assignment, rule, asked ? TierRule.cost(gang, assignment, fleet) : null);
    }

    TierOrder order(Map<Integer, SortedSet<String>> currencies) {
      if (rule.order() == RoutingPolicy.Order.CHEAPEST) {
        boolean compared = currencies.getOrDefault(assignment.tier(), new TreeSet<>()).size() == 1;
        long unknown = compared ? Saturating.UNLIMITED : 0;
        return new TierOrder(compared && cost != null ? cost.micros() : unknown, 0, 0, 0);
      }
      ClusterCapacity cluster = assignment.cluster();
      NodePool pool = cluster.pool();
      return new TierOrder(
          0,
          Math.max(0, rule.capacityTypes().indexOf(cluster.cluster().capacity())),
          Math.max(0, rule.clusters().indexOf(cluster.name())),
          pool == null ? 0 : Math.max(0, rule.pools().indexOf(pool.name())));
    }
  }

  @Override
  public int compareTo(TierOrder other) {
    int byCost = Long.compare(cost, other.cost);
    int byType = byCost == 0 ? Integer.compare(type, other.type) : byCost;
    int byCluster = byType == 0 ? Integer.compare(cluster, other.cluster) : byType;
    return byCluster == 0 ? Integer.compare(pool, other.pool) : byCluster;
  }
}
