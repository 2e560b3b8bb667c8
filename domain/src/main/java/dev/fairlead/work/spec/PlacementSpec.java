package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a job may run.
 *
 * @param clusters allowed cluster names in order of preference; empty = all
 * @param pools allowed pools in order of preference; empty = all that the job's tenant may use
 * @param capacity allowed capacity types in order
 * @param waits how long to wait for a type before the next is tried
 * @param topology of all members, null for none
 * @param segment groups of {@code size} members inside one domain, null for none
 * @param spread maximum of members in one domain, null for none
 * @param jobClass the job's class for noisy neighbours, null for none
 * @param avoidClasses classes never to share a node with
 * @param maxPricePerGpuHour most that a GPU may cost an hour by the price book when the job starts;
 *     reserved capacity is sunk and may cost anything; null = any price
 * @param maxCost most that an element at its full size may cost by the job's {@code maxRuntime}, by
 *     the prices of its start; of reserved capacity as above; null = any cost
 */
public record PlacementSpec(
    List<String> clusters,
    List<String> pools,
    List<CapacityType> capacity,
    SortedMap<CapacityType, Duration> waits,
    SortedMap<String, String> nodeLabels,
    @Nullable TopologySpec topology,
    @Nullable Segment segment,
    @Nullable Spread spread,
    @Nullable String jobClass,
    List<String> avoidClasses,
    Numa numa,
    @Nullable Money maxPricePerGpuHour,
    @Nullable Money maxCost) {
  /** Groups of members inside one domain of a level. */
  public record Segment(int size, String level) {}

  /** A cap of members per domain of a level. */
  public record Spread(String level, int maxPerDomain) {}

  /** GPUs and cpu of a member on one NUMA node. */
  public enum Numa {
    NONE,
    PREFERRED,
    REQUIRED
  }

  /** No wishes: every cluster, reserved capacity first, then on-demand. */
  public static final PlacementSpec ANYWHERE =
      new PlacementSpec(
          List.of(),
          List.of(),
          List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND),
          Collections.emptySortedMap(),
          Collections.emptySortedMap(),
          null,
          null,
          null,
          null,
          List.of(),
          Numa.NONE,
          null,
          null);

  /** A row that an earlier version wrote says nothing of pools. */
  public PlacementSpec {
    clusters = List.copyOf(clusters);
    pools = pools == null ? List.of() : List.copyOf(pools);
    capacity = List.copyOf(capacity);
    waits = Collections.unmodifiableSortedMap(new TreeMap<>(waits));
    nodeLabels = Collections.unmodifiableSortedMap(new TreeMap<>(nodeLabels));
    avoidClasses = List.copyOf(avoidClasses);
  }

  /**
   * Whether a GPU may cost so much an hour.
   *
   * @param price of a GPU of this capacity type by the price book, null when it has none
   */
  public boolean affords(CapacityType type, @Nullable Money price) {
    return maxPricePerGpuHour == null
        || type == CapacityType.RESERVED
        || maxPricePerGpuHour.covers(price);
  }

  /** These wishes, to be changed. */
  public PlacementPreferences preferences() {
    return new PlacementPreferences(this);
  }
}
