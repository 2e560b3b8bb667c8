package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which capacity jobs of a queue use first, and which only after a wait. A job uses a node by the
 * first tier that selects the node and affords its price; a node that no tier takes is not used.
 *
 * @param tiers in order, each opening no earlier than the one before; none = every node at once
 * @param moveBack whether jobs that run return to reserved capacity that comes free, null = never
 */
public record RoutingPolicy(List<Tier> tiers, @Nullable MoveBack moveBack) {
  public static final RoutingPolicy NONE = new RoutingPolicy(List.of());

  /** One by which a job stays where it runs. */
  public RoutingPolicy(List<Tier> tiers) {
    this(tiers, null);
  }

  public RoutingPolicy {
    tiers = List.copyOf(tiers);
  }

  /**
   * How jobs that may be preempted return from dearer capacity.
   *
   * @param perHour moves of the queue in any hour at most, 1 to 1000
   * @param rest how long an attempt has run before it is moved, one minute to a week
   */
  public record MoveBack(int perHour, Duration rest) {
    /** Of one that says nothing else. */
    public static final MoveBack DEFAULT = new MoveBack(6, Duration.ofMinutes(10));
  }

  /** In which order the nodes of one tier are tried. */
  public enum Order {
    /** As the tier lists capacity types, clusters and pools, then as the job prefers. */
    FIXED,
    /** Where the job costs least an hour; without a known price last. */
    CHEAPEST
  }

  /**
   * One step of the policy; an empty list selects all.
   *
   * @param after how long a job has waited when the tier opens, zero or more
   * @param maxPricePerGpuHour most that a GPU may cost an hour by the price book, null = any price
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
     * Whether it is a tier for these nodes, at whatever price.
     *
     * @param pool null for nodes of no pool
     */
    public boolean selects(String cluster, @Nullable String pool, CapacityType type) {
      return (capacityTypes.isEmpty() || capacityTypes.contains(type))
          && (clusters.isEmpty() || clusters.contains(cluster))
          && (pools.isEmpty() || pool != null && pools.contains(pool));
    }

    /**
     * Whether a GPU may cost so much an hour here. A price in another currency than the cap's
     * cannot be compared and is too much.
     *
     * @param price null when none is known, which any cap refuses
     */
    public boolean affords(@Nullable Money price) {
      Money cap = maxPricePerGpuHour;
      return cap == null || cap.covers(price);
    }
  }

  /** Whether it lets a job use every node at once. */
  public boolean none() {
    return tiers.isEmpty();
  }

  /** How many tiers, from the first, are open to a job that has waited so long. */
  public int open(Duration waited) {
    int open = 0;
    while (open < tiers.size() && tiers.get(open).after().compareTo(waited) <= 0) {
      open++;
    }
    return open;
  }
}
