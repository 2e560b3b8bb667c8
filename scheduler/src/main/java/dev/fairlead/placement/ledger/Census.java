package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.job.PlacementSpec;
import dev.fairlead.placement.filter.Filters;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.resources.ResourceNames;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts how the nodes of one cluster stand to a member, one look at each. */
final class Census {
  private static final String MODEL = "MODEL";
  private static final List<String> RESOURCES =
      List.of(
          ResourceNames.GPU,
          ResourceNames.CPU,
          ResourceNames.MEMORY,
          ResourceNames.PODS,
          Room.FABRIC,
          Room.NEIGHBOURS,
          Room.BACK_OFF);

  private final List<Room> rooms;
  private final Refusals refusals;
  private final Columns columns;
  private final int[] open;
  private final List<String> models;
  private final int[] modelOf;
  private final SortedMap<String, Integer> closed = new TreeMap<>();

  /**
   * @param rooms by rank
   * @param models of the rooms, each once
   */
  Census(
      Cluster cluster, List<Room> rooms, List<String> models, Refusals refusals, Columns columns) {
    this.rooms = rooms;
    this.models = models;
    this.refusals = refusals;
    this.columns = columns;
    open = rooms.stream().filter(Room::open).mapToInt(Room::rank).toArray();
    modelOf = rooms.stream().mapToInt(r -> models.indexOf(r.node().gpuModel())).toArray();
    for (Room room : rooms) {
      String constraint = Filters.standingConstraint(cluster, room.node());
      if (constraint != null) {
        closed.merge(constraint, 1, Integer::sum);
      }
    }
  }

  Survey of(MemberShape member, String model) {
    Count count = new Count(member);
    byte[] verdict = refusals.of(member);
    int asked = member.asksGpu() ? models.indexOf(model) : -1;
    boolean plain = plain(member);
    int[] refused = new int[Filters.count()];
    int otherModel = 0;
    for (int rank : open) {
      int by = refusals.refusing(verdict, rank, member);
      if (by >= 0) {
        refused[by]++;
      } else if (member.asksGpu() && modelOf[rank] != asked) {
        otherModel++;
      } else if (plain && !columns.avoided(rank)) {
        count.plain(rank);
      } else {
        count.any(rooms.get(rank));
      }
    }
    return count.survey(filtered(refused, otherModel));
  }

  private SortedMap<String, Integer> filtered(int[] refused, int otherModel) {
    SortedMap<String, Integer> filtered = new TreeMap<>(closed);
    for (int i = 0; i < refused.length; i++) {
      if (refused[i] > 0) {
        filtered.merge(Filters.constraint(i), refused[i], Integer::sum);
      }
    }
    if (otherModel > 0) {
      filtered.merge(MODEL, otherModel, Integer::sum);
    }
    return filtered;
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

  /** Sums over the nodes that admit one member. */
  private final class Count {
    private final MemberShape member;
    private final int gpus;
    private final long cpu;
    private final long memory;
    private final int[] exhausted = new int[RESOURCES.size()];
    private int admitting;
    private long fits;
    private int mostWhole;

    Count(MemberShape member) {
      this.member = member;
      gpus = member.wholeGpus();
      cpu = member.cpuMilli();
      memory = member.memoryMiB();
    }

    /** As {@link #any}, from the columns. */
    void plain(int rank) {
      admitting++;
      int whole = columns.whole(rank);
      mostWhole = Math.max(mostWhole, whole);
      exhausted[0] += whole < gpus ? 1 : 0;
      exhausted[1] += columns.cpu(rank) < cpu ? 1 : 0;
      exhausted[2] += columns.memory(rank) < memory ? 1 : 0;
      exhausted[3] += columns.pods(rank) < 1 ? 1 : 0;
      fits +=
          Room.least(
              gpus == 0 ? Integer.MAX_VALUE : whole / gpus,
              member,
              columns.cpu(rank),
              columns.memory(rank),
              columns.pods(rank));
    }

    void any(Room room) {
      admitting++;
      mostWhole = Math.max(mostWhole, room.slots().freeWhole());
      fits += room.fits(member);
      if (!room.takes(member)) {
        for (int i = 0; i < exhausted.length; i++) {
          exhausted[i] += room.shortOf(RESOURCES.get(i), member) ? 1 : 0;
        }
      }
    }

    Survey survey(SortedMap<String, Integer> filtered) {
      SortedMap<String, Integer> byName = new TreeMap<>();
      for (int i = 0; i < exhausted.length; i++) {
        if (exhausted[i] > 0) {
          byName.put(RESOURCES.get(i).toUpperCase(Locale.ROOT), exhausted[i]);
        }
      }
      int all = (int) Math.min(fits, Integer.MAX_VALUE);
      return new Survey(admitting, all, mostWhole, filtered, byName);
    }
  }
}
