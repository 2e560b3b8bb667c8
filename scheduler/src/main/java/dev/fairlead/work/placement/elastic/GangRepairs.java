package dev.fairlead.work.placement.elastic;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.GangRepair;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.AdvanceReservationLookup;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a member of a running gang of fixed size after a fault. The new member may use a spare,
 * but no node that a member of the attempt has left. The other members hold their resources while
 * they wait, so repairs come after reserved starts and before all waiting jobs.
 */
public final class GangRepairs {
  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Instant asOf;
  private final AdvanceReservationLookup advanceReservations;
  private final Joining joining;

  public GangRepairs(Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    advanceReservations =
        new AdvanceReservationLookup(
            reservations.fleet().advanceReservations(), reservations.admission().tree());
    joining = new Joining(reservations, ledger, work, asOf);
  }

  /** Plans the repairs and takes the resources of the new members from the working copy. */
  public List<Decision> plan() {
    List<Decision> repairs = new ArrayList<>();
    for (RunningAttempt running : reservations.attempts().all()) {
      RoleSpec lacks = lacking(running);
      Decision repair = lacks == null || work.spent() ? null : replace(running, lacks);
      if (repair != null) {
        repairs.add(repair);
      }
    }
    return repairs;
  }

  /** Returns the role that needs another member now, or null if none does. */
  private @Nullable RoleSpec lacking(RunningAttempt running) {
    Job job = running.job();
    Attempt attempt = running.attempt();
    boolean may =
        attempt.state() == AttemptState.RUNNING
            && job.state() == JobState.RUNNING
            && GangRepair.allowed(job.spec(), attempt, asOf);
    return may ? GangRepair.lacking(job.spec(), attempt).orElse(null) : null;
  }

  private @Nullable Decision replace(RunningAttempt running, RoleSpec lacks) {
    Undo left = excludeLeft(running.attempt());
    work.spend(reservations.fleet().spares().size());
    Undo spares = reservations.fleet().lendSpares();
    int mark = ledger.mark();
    List<Member> members = place(running, lacks);
    if (members.isEmpty()) {
      ledger.undo(mark);
    }
    spares.run();
    left.run();
    Job job = running.job();
    return members.isEmpty()
        ? null
        : new Decision.Grow(job.id(), job.version(), running.attempt().id(), members);
  }

  private List<Member> place(RunningAttempt running, RoleSpec lacks) {
    GangShape gang =
        advanceReservations
            .at(GangShape.of(running.job()), running.job(), asOf)
            .among(running.neighbours());
    FlavorAssignment assignment = joining.assignment(running, gang);
    int[] more = new int[gang.roles().size()];
    for (MemberShape role : gang.roles()) {
      more[role.role()] = role.name().equals(lacks.name()) ? 1 : 0;
    }
    int mark = ledger.mark();
    return assignment != null && joining.take(running, gang, assignment, more)
        ? Joining.members(running.attempt(), assignment, ledger.since(mark))
        : List.of();
  }

  /** The fault that ended a member on a node could also end its replacement. */
  private Undo excludeLeft(Attempt attempt) {
    List<NodeCapacity> nodes = new ArrayList<>();
    for (Member member : attempt.everyMember()) {
      NodeCapacity capacity =
          member.standing() == null ? null : reservations.fleet().capacity(member.node());
      if (capacity != null) {
        nodes.add(capacity);
      }
    }
    return reservations.fleet().without(nodes);
  }
}
