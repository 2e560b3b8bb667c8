package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.TopologySpec;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The number of members of one role that a cluster can hold, ignoring other roles.
 *
 * @param inCluster members on all nodes, ignoring topology
 * @param inDomain members in the best domain of the required level, under spread and segments,
 *     without a required level, members in the cluster under these
 * @param level the required level, null if none
 * @param domain the best domain, null if no level is required or the cluster lacks it
 */
public record GangCapacity(
    int inCluster, int inDomain, @Nullable String level, @Nullable String domain) {
  /** Returns whether the role must stay inside one domain of some level. */
  public static boolean bound(GangShape gang, MemberShape role) {
    return required(gang.placement().topology()) != null || required(role.topology()) != null;
  }

  /**
   * Returns whether the idle cluster can hold the minimum number of members. Stops counting when it
   * can.
   */
  public static boolean builtHolds(
      ClusterCapacity cluster, GangShape gang, MemberShape role, String model) {
    boolean free =
        !bound(gang, role)
            && gang.placement().segment() == null
            && gang.placement().spread() == null;
    if (!free) {
      return built(cluster, gang, role, model).inDomain >= role.minCount();
    }
    MemberShape ever = role.booked(BookedNodes.NONE);
    long holds = 0;
    for (NodeCapacity capacity : cluster.ofModel(role, model)) {
      boolean admitted =
          !cluster.spareIfIdle(capacity) && Filters.admit(cluster.cluster(), capacity.node(), ever);
      holds += admitted ? capacity.capacity(role) : 0;
      if (holds >= role.minCount()) {
        return true;
      }
    }
    return false;
  }

  /** Counts members in the current state. */
  public static GangCapacity now(
      ClusterCapacity cluster, GangShape gang, MemberShape role, String model) {
    Supplier<List<NodeCapacity>> admitting = () -> cluster.admitting(role, model);
    int inCluster = cluster.summary(role, model).fits();
    return of(cluster, gang, role, new Counted(inCluster, admitting, r -> r.fits(role)));
  }

  /** Counts members in the current state as if these closed nodes were open. */
  public static GangCapacity nowWith(
      List<NodeCapacity> closed,
      ClusterCapacity cluster,
      GangShape gang,
      MemberShape role,
      String model) {
    ToIntFunction<NodeCapacity> fits = r -> r.fits(role);
    long inCluster = (long) cluster.summary(role, model).fits() + sum(closed, fits);
    Supplier<List<NodeCapacity>> all =
        () -> Stream.concat(cluster.admitting(role, model).stream(), closed.stream()).toList();
    return of(
        cluster, gang, role, new Counted(Math.clamp(inCluster, 0, Integer.MAX_VALUE), all, fits));
  }

  /** Counts members on an idle cluster with every node in service, excluding spares. */
  public static GangCapacity built(
      ClusterCapacity cluster, GangShape gang, MemberShape role, String model) {
    List<NodeCapacity> built = cluster.built(role, model);
    ToIntFunction<NodeCapacity> fits = r -> r.capacity(role);
    return of(cluster, gang, role, new Counted(sum(built, fits), () -> built, fits));
  }

  /** Nodes with the number of members that fit on each, and in total. */
  private record Counted(
      int inCluster, Supplier<List<NodeCapacity>> capacities, ToIntFunction<NodeCapacity> fits) {}

  private static GangCapacity of(
      ClusterCapacity cluster, GangShape gang, MemberShape role, Counted counted) {
    int inCluster = counted.inCluster();
    Levels levels = cluster.levels();
    String level = required(gang, role, levels);
    Optional<List<TopologyConstraint>> rules = TopologyConstraint.of(role, gang, levels);
    if (rules.isEmpty()) {
      return new GangCapacity(inCluster, 0, level, null);
    }
    if (level == null) {
      boolean ruled = !rules.get().isEmpty();
      int holds =
          ruled
              ? new Packing(counted.capacities().get(), counted.fits(), rules.get()).capacity()
              : inCluster;
      return new GangCapacity(inCluster, holds, null, null);
    }
    GangCapacity best = new GangCapacity(inCluster, 0, level, null);
    int position = levels.position(level);
    List<List<NodeCapacity>> inside =
        PlacementDomain.split(position, levels, counted.capacities().get());
    for (int domain = 0; domain < inside.size(); domain++) {
      int holds = new Packing(inside.get(domain), counted.fits(), rules.get()).capacity();
      if (best.domain == null || holds > best.inDomain) {
        best = new GangCapacity(inCluster, holds, level, levels.domain(position, domain));
      }
    }
    return best;
  }

  private static int sum(List<NodeCapacity> capacities, ToIntFunction<NodeCapacity> fits) {
    long sum = 0;
    for (NodeCapacity capacity : capacities) {
      sum += fits.applyAsInt(capacity);
    }
    return (int) Math.min(sum, Integer.MAX_VALUE);
  }

  /**
   * Returns the narrower of the levels that the job and the role require. A level that the cluster
   * lacks takes precedence.
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
