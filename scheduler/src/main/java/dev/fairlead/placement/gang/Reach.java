package dev.fairlead.placement.gang;

import dev.fairlead.job.TopologySpec;
import dev.fairlead.placement.filter.Filters;
import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.placement.ledger.Room;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.placement.topology.Levels;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many members of one role a cluster holds, the other roles left aside.
 *
 * @param inCluster members on all nodes, topology left aside
 * @param inDomain members in the best domain of the required level, under spread and segments;
 *     without a required level members in the cluster under these
 * @param level the required level, null for none
 * @param domain the best domain, null where no level is required or the cluster lacks it
 */
public record Reach(int inCluster, int inDomain, @Nullable String level, @Nullable String domain) {
  /** Whether the role must stay inside one domain of some level. */
  public static boolean bound(GangShape gang, MemberShape role) {
    return required(gang.placement().topology()) != null || required(role.topology()) != null;
  }

  /** Whether the cluster, as it is built, holds the fewest members; stops looking once it does. */
  public static boolean builtHolds(
      ClusterRoom cluster, GangShape gang, MemberShape role, String model) {
    boolean free =
        !bound(gang, role)
            && gang.placement().segment() == null
            && gang.placement().spread() == null;
    if (!free) {
      return built(cluster, gang, role, model).inDomain >= role.minCount();
    }
    long holds = 0;
    for (Room room : cluster.ofModel(role, model)) {
      if (holds < role.minCount() && Filters.admit(cluster.cluster(), room.node(), role)) {
        holds += room.capacity(role);
      }
    }
    return holds >= role.minCount();
  }

  /** As things stand. */
  public static Reach now(ClusterRoom cluster, GangShape gang, MemberShape role, String model) {
    return of(cluster, gang, role, cluster.admitting(role, model), r -> r.fits(role));
  }

  /** If nothing ran and every node were in service. */
  public static Reach built(ClusterRoom cluster, GangShape gang, MemberShape role, String model) {
    return of(cluster, gang, role, cluster.built(role, model), r -> r.capacity(role));
  }

  private static Reach of(
      ClusterRoom cluster,
      GangShape gang,
      MemberShape role,
      List<Room> rooms,
      ToIntFunction<Room> fits) {
    int inCluster = sum(rooms, fits);
    Levels levels = cluster.levels();
    String level = required(gang, role, levels);
    Optional<List<LevelRule>> rules = LevelRule.of(role, gang, levels);
    if (rules.isEmpty()) {
      return new Reach(inCluster, 0, level, null);
    }
    if (level == null) {
      boolean ruled = !rules.get().isEmpty();
      int holds = ruled ? new Packing(rooms, fits, rules.get()).capacity() : inCluster;
      return new Reach(inCluster, holds, null, null);
    }
    Reach best = new Reach(inCluster, 0, level, null);
    int position = levels.position(level);
    for (int domain = 0; position >= 0 && domain < levels.count(position); domain++) {
      List<Room> inside = new Scope(position, domain).of(rooms);
      int holds = new Packing(inside, fits, rules.get()).capacity();
      if (best.domain == null || holds > best.inDomain) {
        best = new Reach(inCluster, holds, level, levels.domain(position, domain));
      }
    }
    return best;
  }

  private static int sum(List<Room> rooms, ToIntFunction<Room> fits) {
    long sum = 0;
    for (Room room : rooms) {
      sum += fits.applyAsInt(room);
    }
    return (int) Math.min(sum, Integer.MAX_VALUE);
  }

  /**
   * The narrower of the levels that the job and the role require; a level that the cluster lacks
   * comes first.
   */
  private static @Nullable String required(GangShape gang, MemberShape role, Levels levels) {
    String ofJob = required(gang.placement().topology());
    String ofRole = required(role.topology());
    if (ofJob == null || ofRole == null) {
      return ofJob == null ? ofRole : ofJob;
    }
    int job = levels.position(ofJob);
    return job >= 0 && (levels.position(ofRole) < 0 || levels.position(ofRole) > job)
        ? ofRole
        : ofJob;
  }

  private static @Nullable String required(@Nullable TopologySpec topology) {
    return topology == null || topology.mode() == TopologySpec.Mode.PREFERRED
        ? null
        : topology.level();
  }
}
