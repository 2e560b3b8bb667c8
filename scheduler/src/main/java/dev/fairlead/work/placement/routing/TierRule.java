package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Tiers;
import dev.fairlead.work.spec.PlacementSpec;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tier of a queue's routing policy uses which part of a cluster, and at what price.
 */
public final class TierRule {
  /** Thousandths of an hour's milliseconds. */
  private static final BigInteger HOUR =
      BigInteger.valueOf(1000).multiply(BigInteger.valueOf(Duration.ofHours(1).toMillis()));

  private TierRule() {}

  /**
   * Returns the position of the tier by which a gang uses a part of a cluster with these models:
   * the first tier that selects the part and accepts the prices of all models. Returns 0 without a
   * policy, and {@link Tiers#NO_TIER} if no tier covers the part or the part exceeds the job's cap.
   *
   * @param models by role
   */
  static int of(GangShape gang, ClusterCapacity cluster, List<String> models, Fleet fleet) {
    return affords(gang, cluster, models, fleet)
        ? tier(gang.tiers(), cluster, models, fleet)
        : Tiers.NO_TIER;
  }

  private static int tier(
      Tiers tiers, ClusterCapacity cluster, Collection<String> models, Fleet fleet) {
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

  /** Returns whether a tier, open or not, selects the part at any price. */
  static boolean selects(Tiers tiers, ClusterCapacity cluster) {
    return tiers.policy().none()
        || tiers.policy().tiers().stream().anyMatch(rule -> selects(rule, cluster));
  }

  /** Returns whether the tier selects the part at any price. */
  public static boolean selects(RoutingPolicy.Tier rule, ClusterCapacity cluster) {
    return rule.selects(cluster.name(), pool(cluster), cluster.cluster().capacity());
  }

  /** Returns whether an open tier uses the model on this part now. */
  public static boolean open(Tiers tiers, ClusterCapacity cluster, String model, Fleet fleet) {
    return tiers.opens(tier(tiers, cluster, List.of(model), fleet));
  }

  /**
   * Returns whether the job's caps cover the current prices of these models, per GPU-hour and in
   * total by its maximum runtime, regardless of its queue's policy.
   *
   * @param models by role
   */
  public static boolean affords(
      GangShape gang, ClusterCapacity cluster, List<String> models, Fleet fleet) {
    return affords(gang.placement(), cluster, models, fleet)
        && affordsAll(gang, cluster, models, fleet);
  }

  /**
   * Returns whether the job's {@code maxCost} covers the cost of all members until its maximum
   * runtime.
   */
  public static boolean affordsAll(
      GangShape gang, ClusterCapacity cluster, List<String> models, Fleet fleet) {
    Money cap = gang.placement().maxCost();
    return cap == null
        || cluster.cluster().capacity() == CapacityType.RESERVED
        || gang.roles().stream().noneMatch(MemberShape::asksGpu)
        || cap.covers(costByRuntime(gang, cluster, models, fleet));
  }

  /**
   * Returns whether the job's cap covers the current hourly price of a GPU of each of these models.
   */
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

  /** Returns the hourly price of one GPU, null if the price book has none. */
  public static @Nullable Money price(ClusterCapacity cluster, String model, Fleet fleet) {
    return fleet
        .prices()
        .of(cluster.cluster().id(), pool(cluster), model, cluster.cluster().capacity());
  }

  /**
   * Returns the cost of all members by the job's maximum runtime at current prices, rounded up to a
   * millionth like {@link dev.fairlead.money.price.Quote}. The result is null without that runtime,
   * and in the cases of {@link #cost}.
   *
   * @param models by role
   */
  public static @Nullable Money costByRuntime(
      GangShape gang, ClusterCapacity cluster, List<String> models, Fleet fleet) {
    Duration runtime = gang.runtime();
    Money hour = cost(gang, cluster, models, gang.counts(gang.elasticSteps()), fleet);
    if (runtime == null || hour == null) {
      return null;
    }
    BigInteger milli =
        BigInteger.valueOf(hour.micros()).multiply(BigInteger.valueOf(runtime.toMillis()));
    BigInteger micros = milli.add(HOUR.subtract(BigInteger.ONE)).divide(HOUR);
    return new Money(micros.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue(), hour.currency());
  }

  /**
   * Returns the hourly cost of the minimum number of members, in thousandths of a millionth. The
   * result is null without a price, or if the models have prices in several currencies.
   */
  static @Nullable Money cost(GangShape gang, FlavorAssignment assignment, Fleet fleet) {
    return cost(gang, assignment.cluster(), assignment.models(), gang.counts(0), fleet);
  }

  private static @Nullable Money cost(
      GangShape gang, ClusterCapacity cluster, List<String> models, int[] counts, Fleet fleet) {
    String currency = "";
    long sum = 0;
    for (MemberShape role : gang.roles()) {
      if (role.asksGpu()) {
        String model = models.get(role.role());
        Money each = price(cluster, model, fleet);
        if (each == null || !currency.isEmpty() && !currency.equals(each.currency())) {
          return null;
        }
        long memory = cluster.leastDeviceMemory(model, role.gpu().minMemoryMiB());
        long milli = Saturating.times(role.gpu().milliOn(model, memory), counts[role.role()]);
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
