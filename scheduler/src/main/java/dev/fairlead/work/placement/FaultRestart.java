package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Restarts a gang that lost a node to a fault. The gang uses its remaining nodes and spares. If
 * these are not enough, it also uses any other free node, or evicts jobs for the missing members.
 */
final class FaultRestart {
  private final Fleet fleet;
  private final ElementPlacer placer;
  private final WorkBudget work;
  private final long share;
  private final MakesRoom makesRoom;

  /** Evicts other jobs for an element and reserves their nodes for it. */
  interface MakesRoom {
    boolean leave(PendingJobEntry waiting, int element);
  }

  /**
   * @param work budget to charge
   * @param share node evaluations that all such gangs of the cycle may spend together
   */
  FaultRestart(
      Fleet fleet, ElementPlacer placer, WorkBudget work, long share, MakesRoom makesRoom) {
    this.fleet = fleet;
    this.placer = placer;
    this.work = work;
    this.share = share;
    this.makesRoom = makesRoom;
  }

  /** Limits the work to the share of these gangs until the part ends. */
  WorkBudget.Part begin() {
    return work.part(share);
  }

  /** Returns whether the share of these gangs is spent, so that no more are tried in this cycle. */
  boolean spent() {
    return work.spent();
  }

  /**
   * Lets gangs use spares, even while other jobs are being evicted for them. A gang that lacks two
   * nodes may then take one from the spares. Running the result reserves the spares again.
   */
  Undo lendSpares() {
    work.spend(fleet.spares().size());
    return fleet.lendSpares();
  }

  /**
   * Returns the assignment on which the gang starts, or null if it cannot start.
   *
   * @param reservation the gang's reservation, which is already lifted
   */
  @Nullable FlavorAssignment start(Reservation reservation, EquivalenceClass equivalenceClass) {
    JobShape shape = equivalenceClass.shape();
    FlavorAssignment assignment =
        ownNodesFit(reservation, shape.gang()) ? startOnOwn(reservation, equivalenceClass) : null;
    return assignment == null
        ? placer.start(shape.queue(), shape.gang(), equivalenceClass.assignments())
        : assignment;
  }

  /** Returns whether other jobs are being evicted for the element. */
  boolean othersLeave(PendingJobEntry waiting, int element) {
    return makesRoom.leave(waiting, element);
  }

  /**
   * Starts the gang on its reserved nodes only. Returns null if it cannot start on these nodes.
   *
   * @param reservation the gang's reservation, which is already lifted
   */
  @Nullable FlavorAssignment startOnOwn(
      Reservation reservation, EquivalenceClass equivalenceClass) {
    JobShape shape = equivalenceClass.shape();
    List<FlavorAssignment> there =
        equivalenceClass.assignments().stream()
            .filter(assignment -> assignment.cluster().cluster().id().equals(reservation.cluster()))
            .toList();
    Undo others = fleet.only(reservation.cluster(), nodes(reservation));
    FlavorAssignment assignment = placer.start(shape.queue(), shape.gang(), there);
    others.run();
    return assignment;
  }

  private static List<NodeId> nodes(Reservation reservation) {
    return reservation.members().stream().map(Member::node).toList();
  }

  /**
   * Returns whether the gang fits on its reserved nodes and the spares, without evaluating other
   * nodes.
   */
  private boolean ownNodesFit(Reservation reservation, GangShape gang) {
    SortedMap<NodeId, NodeCapacity> capacities = new TreeMap<>();
    fleet.spares().forEach(capacity -> capacities.put(capacity.node().id(), capacity));
    for (NodeId node : nodes(reservation)) {
      NodeCapacity capacity = fleet.capacity(node);
      if (capacity != null && capacity.open()) {
        capacities.put(node, capacity);
      }
    }
    work.spend(capacities.size());
    int[] fewest = gang.counts(0);
    return gang.roles().stream()
        .allMatch(role ->
            capacities.values().stream().mapToLong(capacity -> capacity.fits(role)).sum()
                >= fewest[role.role()]);
  }

  /**
   * Returns the blocker that explains the wait.
   *
   * @param assignments assignments that the job may use. Other spares are not counted
   */
  Blocker waits(Reservation reservation, String cluster, List<FlavorAssignment> assignments) {
    long left =
        reservation.members().stream()
            .map(member -> fleet.capacity(member.node()))
            .filter(capacity -> capacity != null && capacity.open())
            .count();
    long spares =
        fleet.spares().stream()
            .filter(spare -> spare.node().cluster().equals(reservation.cluster()))
            .filter(spare ->
                assignments.stream().anyMatch(assignment -> assignment.cluster().has(spare)))
            .count();
    return Blockers.keptAfterFault(
        cluster, left, reservation.members().size(), spares, reservation.expiresAt());
  }
}
