package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.job.PlacementSpec;
import dev.fairlead.placement.filter.Filters;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.GpuRequest;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts how the nodes of one cluster stand to a member: one look at each, or, where the last cycle
 * counted the same, at those that stand otherwise than then.
 */
final class FitCounter {
  /** Most counts that are kept for the next cycle. */
  private static final int MOST = 1024;

  private final List<NodeCapacity> rooms;
  private final CapacitySnapshot now;
  private final SortedMap<String, Integer> closed = new TreeMap<>();
  private final CapacityColumns counted;
  private final DirtyNodes sinceCounted;
  private final Map<Asked, FitSums> tallies = new LinkedHashMap<>();
  private final @Nullable Since before;

  /** What is counted. */
  record Asked(MemberShape member, String model) {}

  /**
   * What is left of a census for the next cycle.
   *
   * @param view the nodes as they stood when they were counted
   */
  record Past(CapacitySnapshot view, Map<Asked, FitSums> tallies) {}

  /** A past census, and the nodes that stand otherwise now. */
  private record Since(Past past, DirtyNodes drift) {}

  /**
   * @param rooms by rank
   * @param models of the rooms, each once
   * @param past of the last cycle, null for nothing
   */
  FitCounter(
      Cluster cluster,
      List<NodeCapacity> rooms,
      List<String> models,
      FilterCache refusals,
      CapacityColumns columns,
      @Nullable Past past) {
    this.rooms = rooms;
    now = CapacitySnapshot.of(rooms, models, refusals, columns);
    for (NodeCapacity room : rooms) {
      String constraint = Filters.standingConstraint(cluster, room.node());
      if (constraint != null) {
        closed.merge(constraint, 1, Integer::sum);
      }
    }
    counted = columns.copy();
    int[] same = new int[rooms.size()];
    Arrays.setAll(same, rank -> rank);
    sinceCounted = columns.drift(counted, same);
    int[] rankBefore = refusals.ranksBefore();
    before =
        past == null || rankBefore == null
            ? null
            : new Since(past, columns.drift(past.view.columns(), rankBefore));
  }

  FitSummary of(MemberShape member, String model) {
    Asked asked = new Asked(member, model);
    FitSums past = before == null ? null : before.past.tallies.get(asked);
    boolean plain = plain(member);
    FitSums tally = before == null || past == null ? all(asked, plain) : since(before, past, asked);
    if (plain && sinceCounted.isEmpty() && tallies.size() < MOST) {
      tallies.put(asked, tally);
    }
    return tally.survey(closed);
  }

  private FitSums all(Asked asked, boolean plain) {
    FitSums tally = new FitSums(asked.member);
    CapacitySnapshot.Counter counter = now.counter(asked.member, asked.model);
    for (int rank = 0; rank < rooms.size(); rank++) {
      if (plain) {
        counter.count(tally, rank, 1);
      } else if (counter.admits(tally, rank, 1)) {
        tally.any(rooms.get(rank));
      }
    }
    return tally;
  }

  private FitSums since(Since since, FitSums past, Asked asked) {
    FitSums tally = past.copy();
    CapacitySnapshot.Counter then = since.past.view.counter(asked.member, asked.model);
    CapacitySnapshot.Counter counter = now.counter(asked.member, asked.model);
    for (int rank : since.drift.ranks()) {
      if (since.drift.then(rank) >= 0) {
        then.count(tally, since.drift.then(rank), -1);
      }
      counter.count(tally, rank, 1);
    }
    for (int rank : since.drift.gone()) {
      then.count(tally, rank, -1);
    }
    return tally;
  }

  /** For the next cycle. */
  Past past() {
    return new Past(now.with(counted), tallies);
  }

  /** Whether the columns tell all that it asks of a node. */
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
