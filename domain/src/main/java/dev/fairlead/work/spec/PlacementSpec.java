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
 * Allowed places of a job.
 *
 * @param clusters allowed cluster names in order of preference, empty for all
 * @param pools allowed pools in order of preference, empty for all that the job's tenant may use
 * @param capacity allowed capacity types in order
 * @param waits waiting time before a capacity type is used, by type
 * @param topology topology of all members, null for none
 * @param segment groups of {@code size} members inside one domain, null for none
 * @param spread maximum number of members in one domain, null for none
 * @param jobClass the job's class for noisy neighbours, null for none
 * @param avoidClasses classes that may not run on the same node
 * @param maxPricePerGpuHour highest price of a GPU-hour by the price book at the start, null for
 *     any price. Reserved capacity has no limit
 * @param maxCost highest cost of an element at full size until the job's {@code maxRuntime}, by the
 *     prices of its start, null for any cost. Reserved capacity has no limit
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

  /** Maximum number of members per domain of a level. */
  public record Spread(String level, int maxPerDomain) {}

  /** Placement of a member's GPUs and CPUs on one NUMA node. */
  public enum Numa {
    NONE,
    PREFERRED,
    REQUIRED
  }

  /** No preferences: every cluster, reserved capacity first, then on-demand. */
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

  /** A row of an earlier version contains no pools. */
  public PlacementSpec {
    clusters = List.copyOf(clusters);
    pools = pools == null ? List.of() : List.copyOf(pools);
    capacity = List.copyOf(capacity);
    waits = Collections.unmodifiableSortedMap(new TreeMap<>(waits));
    nodeLabels = Collections.unmodifiableSortedMap(new TreeMap<>(nodeLabels));
    avoidClasses = List.copyOf(avoidClasses);
  }

  /**
   * Whether the price of a GPU-hour is within the cap.
   *
   * @param price price of a GPU of this capacity type by the price book, null without one
   */
  public boolean affords(CapacityType type, @Nullable Money price) {
    return maxPricePerGpuHour == null
        || type == CapacityType.RESERVED
        || maxPricePerGpuHour.covers(price);
  }

  /** Returns changeable preferences with these values. */
  public PlacementPreferences preferences() {
    return new PlacementPreferences(this);
  }
}
