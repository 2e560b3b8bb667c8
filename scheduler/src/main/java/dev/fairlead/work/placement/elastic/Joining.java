package dev.fairlead.work.placement.elastic;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.gang.GangExpansion;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.TierRule;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds quota and nodes for members that join a running gang. */
final class Joining {
  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Instant asOf;

  Joining(Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
  }

  /**
   * Returns the assignment of the running members: one part of a cluster and one flavor for each
   * role. The result is null if the gang gets no more members. Its pool may be closed. The nodes
   * may also, since the start, belong to the pool of another tenant, have a capacity type that the
   * job does not name, or cost more than it pays.
   */
  @Nullable FlavorAssignment assignment(RunningAttempt running, GangShape gang) {
    ClusterCapacity cluster = reservations.fleet().home(running.attempt().members());
    if (cluster == null
        || cluster.cluster().state() != ClusterState.ACTIVE
        || !FlavorAssignments.allows(gang, cluster)
        || cluster.pool() != null && !cluster.pool().windows().open(asOf)) {
      return null;
    }
    List<String> models = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      String model = null;
      for (Member member : running.attempt().everyMember()) {
        if (member.role().equals(role.name())) {
          model = member.flavor().model();
        }
      }
      if (model == null) {
        return null;
      }
      models.add(model);
    }
    return TierRule.affords(gang, cluster, models, reservations.fleet())
        ? new FlavorAssignment(cluster, models)
        : null;
  }

  /** Takes quota and nodes for this many more members of each role. The caller undoes a failure. */
  boolean take(RunningAttempt running, GangShape gang, FlavorAssignment assignment, int[] more) {
    Admission admission = reservations.admission();
    Charges charges = Charges.expected(gang, assignment, more);
    boolean limited = admission.limited(running.job().queue());
    QuotaTree lasting =
        admission.lasting(running.job().queue(), running.attempt().createdAt()).orElse(null);
    if (limited && !admission.admits(running.job().queue(), charges)
        || lasting != null && !charges.fit(lasting, running.job().queue())) {
      return false;
    }
    List<NodeCapacity> there = new ArrayList<>();
    SortedMap<Integer, List<NodeCapacity>> byRole = new TreeMap<>();
    for (Member member : running.rest()) {
      NodeCapacity capacity = reservations.fleet().capacity(member.node());
      for (MemberShape role : gang.roles()) {
        if (capacity != null && role.name().equals(member.role())) {
          there.add(capacity);
          byRole.computeIfAbsent(role.role(), r -> new ArrayList<>()).add(capacity);
        }
      }
    }
    int mark = ledger.mark();
    Undo alone = reservations.fleet().alone(running.attempt(), running.neighbours());
    boolean placed = new GangExpansion(ledger, work, there, byRole).place(assignment, gang, more);
    alone.run();
    if (!placed) {
      return false;
    }
    if (limited) {
      admission.use(
          running.job().queue(), Charges.of(gang, ledger.since(mark), assignment), ledger);
    }
    return true;
  }

  static List<Member> members(
      Attempt attempt, FlavorAssignment assignment, List<NodeAllocation> taken) {
    SortedMap<String, Integer> next = new TreeMap<>();
    List<NodeAllocation> byRole = new ArrayList<>(taken);
    byRole.sort(Comparator.comparingInt(t -> t.shape().role()));
    List<Member> members = new ArrayList<>();
    for (NodeAllocation each : byRole) {
      String role = each.shape().name();
      int index = next.merge(role, attempt.nextIndex(role), (before, first) -> before + 1);
      members.add(each.member(index, assignment.flavor(each.shape().role())));
    }
    return members;
  }
}
