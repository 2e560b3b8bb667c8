package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Defines which capacity jobs of a queue use first, and which only after a wait. A job uses a node
 * by the first tier that selects the node and accepts its price. A node that no tier selects is not
 * used.
 *
 * @param tiers in order, each opening no earlier than the previous one, none = every node
 *     immediately
 * @param moveBack whether running jobs return to reserved capacity that becomes free, null = never
 */
public record RoutingPolicy(List<Tier> tiers, @Nullable MoveBack moveBack) {
  public static final RoutingPolicy NONE = new RoutingPolicy(List.of());

  /** Creates a policy by which running jobs are not moved. */
  public RoutingPolicy(List<Tier> tiers) {
    this(tiers, null);
  }

  public RoutingPolicy {
    tiers = List.copyOf(tiers);
  }

  /**
   * Rules for the return of preemptible jobs from more expensive capacity.
   *
   * @param perHour maximum moves of the queue in any hour, 1 to 1000
   * @param rest minimum run time of an attempt before it is moved, one minute to a week
   */
  public record MoveBack(int perHour, Duration rest) {
    /** Used if the policy specifies nothing else. */
    public static final MoveBack DEFAULT = new MoveBack(6, Duration.ofMinutes(10));
  }

  /** The order of the nodes of one tier. */
  public enum Order {
    /**
     * Orders capacity by the tier's lists of capacity types, clusters and pools, then by the job's
     * preference.
     */
    FIXED,
    /**
     * Orders capacity by the hourly cost of the job, cheapest first. Nodes without a known price
     * come last.
     */
    CHEAPEST
  }

  /**
   * One step of the policy. An empty list selects all.
   *
   * @param after waiting time of a job after which the tier opens, zero or more
   * @param maxPricePerGpuHour maximum hourly price of a GPU by the price book, null = any price
   */
  public record Tier(
      List<CapacityType> capacityTypes,
      List<String> pools,
      List<String> clusters,
      Duration after,
      @Nullable Money maxPricePerGpuHour,
      Order order) {
    public Tier {
      capacityTypes = List.copyOf(capacityTypes);
      pools = List.copyOf(pools);
      clusters = List.copyOf(clusters);
    }

    /**
     * Returns whether the tier selects these nodes at any price.
     *
     * @param pool null for nodes of no pool
     */
    public boolean selects(String cluster, @Nullable String pool, CapacityType type) {
      return (capacityTypes.isEmpty() || capacityTypes.contains(type))
          && (clusters.isEmpty() || clusters.contains(cluster))
          && (pools.isEmpty() || pool != null && pools.contains(pool));
    }

    /**
     * Returns whether the tier accepts the hourly price of a GPU. A price in a different currency
     * than the cap's cannot be compared and is refused.
     *
     * @param price null if unknown, which any cap refuses
     */
    public boolean affords(@Nullable Money price) {
      Money cap = maxPricePerGpuHour;
      return cap == null || cap.covers(price);
    }
  }

  /** Returns whether a job may use every node immediately. */
  public boolean none() {
    return tiers.isEmpty();
  }

  /** Returns how many tiers, from the first, are open to a job that has waited this long. */
  public int open(Duration waited) {
    int open = 0;
    while (open < tiers.size() && tiers.get(open).after().compareTo(waited) <= 0) {
      open++;
    }
    return open;
  }
}
