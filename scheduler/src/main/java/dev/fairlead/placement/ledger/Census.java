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
final class Census {
  /** Most counts that are kept for the next cycle. */
  private static final int MOST = 1024;

  private final List<Room> rooms;
  private final View now;
  private final SortedMap<String, Integer> closed = new TreeMap<>();
  private final Columns counted;
  private final Drift sinceCounted;
  private final Map<Asked, Tally> tallies = new LinkedHashMap<>();
  private final @Nullable Since before;

  /** What is counted. */
  record Asked(MemberShape member, String model) {}

  /**
   * What is left of a census for the next cycle.
   *
   * @param view the nodes as they stood when they were counted
   */
  record Past(View view, Map<Asked, Tally> tallies) {}

  /** A past census, and the nodes that stand otherwise now. */
  private record Since(Past past, Drift drift) {}

  /**
   * @param rooms by rank
   * @param models of the rooms, each once
   * @param past of the last cycle, null for nothing
   */
  Census(
      Cluster cluster,
      List<Room> rooms,
      List<String> models,
      Refusals refusals,
      Columns columns,
      @Nullable Past past) {
    this.rooms = rooms;
    now = View.of(rooms, models, refusals, columns);
    for (Room room : rooms) {
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

  Survey of(MemberShape member, String model) {
    Asked asked = new Asked(member, model);
    Tally past = before == null ? null : before.past.tallies.get(asked);
    boolean plain = plain(member);
    Tally tally = before == null || past == null ? all(asked, plain) : since(before, past, asked);
    if (plain && sinceCounted.isEmpty() && tallies.size() < MOST) {
      tallies.put(asked, tally);
    }
    return tally.survey(closed);
  }

  private Tally all(Asked asked, boolean plain) {
    Tally tally = new Tally(asked.member);
    View.Counter counter = now.counter(asked.member, asked.model);
    for (int rank = 0; rank < rooms.size(); rank++) {
      if (plain) {
        counter.count(tally, rank, 1);
      } else if (counter.admits(tally, rank, 1)) {
        tally.any(rooms.get(rank));
      }
    }
    return tally;
  }

  private Tally since(Since since, Tally past, Asked asked) {
    Tally tally = past.copy();
    View.Counter then = since.past.view.counter(asked.member, asked.model);
    View.Counter counter = now.counter(asked.member, asked.model);
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
    return !parts && !aligned && !member.asksExtended() && member.neighbours().any();
  }
}
