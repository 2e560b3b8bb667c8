package dev.fairlead.placement.routing;

import dev.fairlead.node.NodePool;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.placement.shape.Tiers;
import dev.fairlead.price.Money;
import dev.fairlead.quota.RoutingPolicy;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.Saturating;
import dev.fairlead.spec.PlacementSpec;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which tier of a queue's routing policy takes which part of a cluster, and at what price. */
public final class TierRule {
  private TierRule() {}

  /**
   * Position of the tier by which a gang uses a part of a cluster with these models: the first that
   * selects the part and affords all models. 0 without a policy, {@link Tiers#NO_TIER} for none,
   * and where a model costs more than the gang's job pays.
   */
  static int of(GangShape gang, ClusterCapacity cluster, Collection<String> models, Fleet fleet) {
    if (!affords(gang.placement(), cluster, models, fleet)) {
      return Tiers.NO_TIER;
    }
    Tiers tiers = gang.tiers();
    if (tiers.policy().none()) {
      return 0;
    }
    for (int tier = 0; tier < tiers.policy().tiers().size(); tier++) {
      RoutingPolicy.Tier rule = tiers.policy().tiers().get(tier);
      if (selects(rule, cluster) && affords(rule, cluster, models, fleet)) {
        return tier;
      }
    }
    return Tiers.NO_TIER;
  }

  /** Whether a tier, open or not, selects the part, at whatever price. */
  static boolean selects(Tiers tiers, ClusterCapacity cluster) {
    return tiers.policy().none()
        || tiers.policy().tiers().stream().anyMatch(rule -> selects(rule, cluster));
  }

  /** Whether the tier selects the part, at whatever price. */
  public static boolean selects(RoutingPolicy.Tier rule, ClusterCapacity cluster) {
    return rule.selects(cluster.name(), pool(cluster), cluster.cluster().capacity());
  }

  /** Whether the job may use the model there now, as far as policy and price decide it. */
  public static boolean open(GangShape gang, ClusterCapacity cluster, String model, Fleet fleet) {
    return gang.tiers().opens(of(gang, cluster, List.of(model), fleet));
  }

  /** Whether the job pays what these models cost there now, whatever its queue's policy. */
  public static boolean affords(
      PlacementSpec placement, ClusterCapacity cluster, Collection<String> models, Fleet fleet) {
    return placement.maxPricePerGpuHour() == null
        || models.stream()
            .allMatch(m ->
                m.equals(Flavor.CPU)
                    || placement.affords(cluster.cluster().capacity(), price(cluster, m, fleet)));
  }

  private static boolean affords(
      RoutingPolicy.Tier rule, ClusterCapacity cluster, Collection<String> models, Fleet fleet) {
    return rule.maxPricePerGpuHour() == null
        || models.stream()
            .allMatch(m -> m.equals(Flavor.CPU) || rule.affords(price(cluster, m, fleet)));
  }

  /** Of one GPU for an hour, null when the price book has none. */
  public static @Nullable Money price(ClusterCapacity cluster, String model, Fleet fleet) {
    return fleet
        .prices()
        .of(cluster.cluster().id(), pool(cluster), model, cluster.cluster().capacity());
  }

  /**
   * What the fewest members cost an hour, in thousandths of a millionth; null without a price, or
   * when the models have prices in several currencies.
   */
  static @Nullable Money cost(GangShape gang, FlavorAssignment assignment, Fleet fleet) {
    String currency = "";
    long sum = 0;
    for (MemberShape role : gang.roles()) {
      if (role.asksGpu()) {
        ClusterCapacity cluster = assignment.cluster();
        String model = assignment.models().get(role.role());
        Money each = price(cluster, model, fleet);
        if (each == null || !currency.isEmpty() && !currency.equals(each.currency())) {
          return null;
        }
        long memory = cluster.leastDeviceMemory(model, role.gpu().minMemoryMiB());
        long milli = Saturating.times(role.gpu().milliOn(model, memory), role.minCount());
        currency = each.currency();
        sum = Saturating.plus(sum, Saturating.times(each.micros(), milli));
      }
    }
    return new Money(sum, currency);
  }

  private static @Nullable String pool(ClusterCapacity cluster) {
    NodePool pool = cluster.pool();
    return pool == null ? null : pool.name();
  }
}
