package dev.fairlead.work.spec;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Allowed places of a job.
 *
 * @param clusters allowed cluster names in order of preference, empty for all
 * @param pools allowed pools in order of preference, empty for all that the job's tenant may use
 * @param capacity allowed capacity types in order
 * @param waits waiting time before each capacity type is used
 * @param topology topology of all members, null if none
 * @param segment groups of {@code size} members inside one domain, null if none
 * @param spread maximum number of members in one domain, null if none
 * @param jobClass the job's class for noisy neighbours, null if none
 * @param avoidClasses classes that may not run on the same node
 * @param maxPricePerGpuHour highest price of a GPU-hour in the price book at the start, null for
 *     any price. Reserved capacity has no limit
 * @param maxCost highest cost of an element at full size until the job's {@code maxRuntime}, by the
 *     prices of its start, null for any cost. Reserved capacity has no limit
 * @param near terms that need a matching job in the domain of each member, at most 8
 * @param away terms that allow no matching job in the domain of a member, at most 8
 * @param preferred clusters that are tried first, in order. Others remain allowed. Users do not set
 *     it
 */
@RecordBuilder
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
    @Nullable Money maxCost,
    List<JobTerm> near,
    List<JobTerm> away,
    List<String> preferred)
    implements PlacementSpecBuilder.With {
  /** Maximum number of terms in each list. */
  public static final int MOST_TERMS = 8;

  /** Groups of members inside one domain of a level. */
  public record Segment(int size, String level) {}

  /** Maximum number of members per domain of a level. */
  public record Spread(String level, int maxPerDomain) {}

  /**
   * Jobs by their labels, in a domain of a level.
   *
   * @param jobs labels of jobs of the same project, at least one. A job must have all of them
   * @param within name of the level: {@code host} for a node, {@code cluster} for the whole cluster
   */
  public record JobTerm(SortedMap<String, String> jobs, String within) {
    /** Maximum number of labels. */
    public static final int MOST_LABELS = 8;

    /** The level of single nodes, the default. */
    public static final String HOST = "host";

    public JobTerm {
      jobs = Collections.unmodifiableSortedMap(new TreeMap<>(jobs));
    }
  }

  /** Placement of a member's GPUs and CPUs on one NUMA node. */
  public enum Numa {
    NONE,
    PREFERRED,
    REQUIRED
  }

  /** No preferences: every cluster, reserved capacity first, then on-demand. */
  public static final PlacementSpec ANYWHERE =
      PlacementSpecBuilder.builder()
          .clusters(List.of())
          .pools(List.of())
          .capacity(List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND))
          .waits(Collections.emptySortedMap())
          .nodeLabels(Collections.emptySortedMap())
          .topology(null)
          .segment(null)
          .spread(null)
          .jobClass(null)
          .avoidClasses(List.of())
          .numa(Numa.NONE)
          .maxPricePerGpuHour(null)
          .maxCost(null)
          .near(List.of())
          .away(List.of())
          .preferred(List.of())
          .build();

  public PlacementSpec {
    clusters = List.copyOf(clusters);
    pools = List.copyOf(pools);
    capacity = List.copyOf(capacity);
    waits = Collections.unmodifiableSortedMap(new TreeMap<>(waits));
    nodeLabels = Collections.unmodifiableSortedMap(new TreeMap<>(nodeLabels));
    avoidClasses = List.copyOf(avoidClasses);
    near = List.copyOf(near);
    away = List.copyOf(away);
    preferred = preferred == null ? List.of() : List.copyOf(preferred);
  }

  /** Position of the cluster in the order of the job. */
  public int rank(String cluster) {
    List<String> order = preferred.isEmpty() ? clusters : preferred;
    int position = order.indexOf(cluster);
    return position < 0 ? order.size() : position;
  }

  /** All terms about other jobs. */
  public List<JobTerm> terms() {
    return Stream.concat(near.stream(), away.stream()).toList();
  }

  /** Returns whether the placement depends on where other jobs run. */
  public boolean namesJobs() {
    return !near.isEmpty() || !away.isEmpty() || !avoidClasses.isEmpty();
  }

  /**
   * Returns whether the price of a GPU-hour is within the cap.
   *
   * @param price price of a GPU of this capacity type by the price book, null if none
   */
  public boolean affords(CapacityType type, @Nullable Money price) {
    return maxPricePerGpuHour == null
        || type == CapacityType.RESERVED
        || maxPricePerGpuHour.covers(price);
  }
}
