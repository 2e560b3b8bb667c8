package dev.fairlead.work.placement.ledger;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts how many nodes of one cluster fit a member. It evaluates each node once. If the last cycle
 * counted the same query, it evaluates only the nodes that differ.
 */
final class FitCounter {
  /** Maximum number of counts that are retained for the next cycle. */
  private static final int MOST = 1024;

  private final List<NodeCapacity> capacities;
  private final CapacitySnapshot now;
  private final SortedMap<String, Integer> closed = new TreeMap<>();
  private final CapacityColumns counted;
  private final DirtyNodes sinceCounted;
  private final Map<Query, FitSums> counts = new LinkedHashMap<>();
  private final @Nullable Since before;

  /** The key of a count. */
  record Query(MemberShape member, String model) {}

  /**
   * Counts that the next cycle may use.
   *
   * @param snapshot the nodes at the time of the count
   */
  record Past(CapacitySnapshot snapshot, Map<Query, FitSums> counts) {}

  /** Counts of the last cycle, and the nodes that have changed since. */
  private record Since(Past past, DirtyNodes dirty) {}

  /**
   * @param capacities by rank
   * @param models models of the nodes, each once
   * @param past results of the last cycle, null if none
   */
  FitCounter(
      Cluster cluster,
      List<NodeCapacity> capacities,
      List<String> models,
      FilterCache filters,
      CapacityColumns columns,
      @Nullable Past past) {
    this.capacities = capacities;
    now = CapacitySnapshot.of(capacities, models, filters, columns);
    for (NodeCapacity capacity : capacities) {
      String constraint = Filters.standingConstraint(cluster, capacity.node());
      if (constraint != null) {
        closed.merge(constraint, 1, Integer::sum);
      }
    }
    counted = columns.copy();
    int[] same = new int[capacities.size()];
    Arrays.setAll(same, rank -> rank);
    sinceCounted = DirtyNodes.since(counted, columns, same);
    int[] rankBefore = filters.ranksBefore();
    before =
        past == null || rankBefore == null
            ? null
            : new Since(past, DirtyNodes.since(past.snapshot.columns(), columns, rankBefore));
  }

  FitSummary of(MemberShape member, String model) {
    Query query = new Query(member, model);
    FitSums past = before == null ? null : before.past.counts.get(query);
    boolean plain = plain(member);
    FitSums sums = before == null || past == null ? all(query, plain) : since(before, past, query);
    if (plain && sinceCounted.isEmpty() && counts.size() < MOST) {
      counts.put(query, sums);
    }
    return sums.summary(closed);
  }

  private FitSums all(Query query, boolean plain) {
    FitSums sums = new FitSums(query.member);
    CapacitySnapshot.Counter counter = now.counter(query.member, query.model);
    for (int rank = 0; rank < capacities.size(); rank++) {
      if (plain) {
        counter.count(sums, rank, 1);
      } else if (counter.admits(sums, rank, 1)) {
        sums.any(capacities.get(rank));
      }
    }
    return sums;
  }

  private FitSums since(Since since, FitSums past, Query query) {
    FitSums sums = past.copy();
    CapacitySnapshot.Counter then = since.past.snapshot.counter(query.member, query.model);
    CapacitySnapshot.Counter counter = now.counter(query.member, query.model);
    for (int rank : since.dirty.ranks()) {
      if (since.dirty.then(rank) >= 0) {
        then.count(sums, since.dirty.then(rank), -1);
      }
      counter.count(sums, rank, 1);
    }
    for (int rank : since.dirty.gone()) {
      then.count(sums, rank, -1);
    }
    return sums;
  }

  /** Returns the counts for the next cycle. */
  Past past() {
    return new Past(now.with(counted), counts);
  }

  /** Returns whether the columns contain everything that the member requests of a node. */
  private static boolean plain(MemberShape member) {
    boolean parts =
        member.gpu().kind() != GpuRequest.Kind.NONE && member.gpu().kind() != GpuRequest.Kind.WHOLE;
    boolean aligned = member.numa() == PlacementSpec.Numa.REQUIRED && member.wholeGpus() > 0;
    return !parts
        && !aligned
        && !member.asksExtended()
        && member.neighbours().any()
        && member.backsOff().isEmpty();
  }
}
