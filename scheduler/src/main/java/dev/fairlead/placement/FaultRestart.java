package dev.fairlead.placement;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.explain.Blockers;
import dev.fairlead.placement.gang.ElementPlacer;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.ordering.EquivalenceClass;
import dev.fairlead.placement.ordering.PendingJobEntry;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.JobShape;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A gang that lost a node to a fault starts on the nodes that it still has and on spares, or, when
 * these do not do, wherever there is room beside them, or others make room for the rest.
 */
final class FaultRestart {
  private final Fleet fleet;
  private final ElementPlacer starter;
  private final WorkBudget work;
  private final long share;
  private final MakesRoom makesRoom;

  /** Has others make room for an element, which has their place from then on. */
  interface MakesRoom {
    boolean leave(PendingJobEntry waiting, int element);
  }

  /**
   * @param work that is spent
   * @param share of it that all such gangs of the cycle may spend together
   */
  FaultRestart(
      Fleet fleet, ElementPlacer starter, WorkBudget work, long share, MakesRoom makesRoom) {
    this.fleet = fleet;
    this.starter = starter;
    this.work = work;
    this.share = share;
    this.makesRoom = makesRoom;
  }

  /** Until the part ends no more than the share of these gangs is spent. */
  WorkBudget.Part begin() {
    return work.part(share);
  }

  /** Whether no more of them are tried in this cycle. */
  boolean spent() {
    return work.spent();
  }

  /**
   * Spares may be taken, also while others make room: a gang that lacks two nodes may get one of
   * them from the spares. The result keeps them again.
   */
  Undo lendSpares() {
    work.spend(fleet.spares().size());
    return fleet.lendSpares();
  }

  /**
   * Null when it cannot start.
   *
   * @param place its own, which is lifted
   */
  @Nullable FlavorAssignment start(Reservation place, EquivalenceClass equalJobs) {
    JobShape shape = equalJobs.shape();
    FlavorAssignment route = ownHold(place, shape.gang()) ? startOnOwn(place, equalJobs) : null;
    return route == null ? starter.start(shape.queue(), shape.gang(), equalJobs.routes()) : route;
  }

  /** Whether others make room for it. */
  boolean othersLeave(PendingJobEntry waiting, int element) {
    return makesRoom.leave(waiting, element);
  }

  private @Nullable FlavorAssignment startOnOwn(Reservation place, EquivalenceClass equalJobs) {
    JobShape shape = equalJobs.shape();
    List<FlavorAssignment> there =
        equalJobs.routes().stream()
            .filter(route -> route.cluster().cluster().id().equals(place.cluster()))
            .toList();
    Undo others = fleet.only(place.cluster(), nodes(place));
    FlavorAssignment route = starter.start(shape.queue(), shape.gang(), there);
    others.run();
    return route;
  }

  private static List<NodeId> nodes(Reservation place) {
    return place.members().stream().map(Member::node).toList();
  }

  /** Whether its own nodes and the spares have room for it: seen without a look at the others. */
  private boolean ownHold(Reservation place, GangShape gang) {
    SortedMap<NodeId, NodeCapacity> rooms = new TreeMap<>();
    fleet.spares().forEach(room -> rooms.put(room.node().id(), room));
    for (NodeId node : nodes(place)) {
      NodeCapacity room = fleet.room(node);
      if (room != null && room.open()) {
        rooms.put(node, room);
      }
    }
    work.spend(rooms.size());
    int[] fewest = gang.counts(0);
    return gang.roles().stream()
        .allMatch(
            role ->
                rooms.values().stream().mapToLong(room -> room.fits(role)).sum()
                    >= fewest[role.role()]);
  }

  /**
   * What it waits for.
   *
   * @param routes that the job may take: other spares are not counted
   */
  Blocker waits(Reservation place, String cluster, List<FlavorAssignment> routes) {
    long left =
        place.members().stream()
            .map(member -> fleet.room(member.node()))
            .filter(room -> room != null && room.open())
            .count();
    long spares =
        fleet.spares().stream()
            .filter(spare -> spare.node().cluster().equals(place.cluster()))
            .filter(spare -> routes.stream().anyMatch(route -> route.cluster().has(spare)))
            .count();
    return Blockers.keptAfterFault(
        cluster, left, place.members().size(), spares, place.expiresAt());
  }
}
