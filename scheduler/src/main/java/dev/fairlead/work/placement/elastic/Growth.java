package dev.fairlead.work.placement.elastic;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.AdvanceReservationLookup;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets running gangs grow at the end of a cycle that reached every job. They grow into capacity
 * that no waiting job could use, by as many members as fit, up to the requested size, by priority,
 * then age. A gang rests first if it shrank or if its new members did not start.
 */
public final class Growth {
  private static final Comparator<RunningAttempt> ORDER =
      Comparator.comparingInt((RunningAttempt h) -> -h.job().priority())
          .thenComparing(h -> h.job().createdAt())
          .thenComparing(h -> h.attempt().id());

  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final Instant asOf;
  private final PendingDemand demand;
  private final AdvanceReservationLookup advanceReservations;
  private final Joining joining;

  public Growth(
      Reservations reservations,
      Ledger ledger,
      WorkBudget work,
      Instant asOf,
      PendingDemand demand) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    this.demand = demand;
    advanceReservations =
        new AdvanceReservationLookup(
            reservations.fleet().advanceReservations(), reservations.admission().tree());
    joining = new Joining(reservations, ledger, work, asOf);
  }

  /** Removes members that are no longer requested, regardless of waiting jobs. */
  public List<Decision> shrink() {
    List<Decision> shrinks = new ArrayList<>();
    for (RunningAttempt running : reservations.attempts().all()) {
      if (running.attempt().members().size() > running.job().spec().members()) {
        List<Member> unwanted = SizeTransitions.unwanted(running.job(), running.attempt());
        if (!unwanted.isEmpty()) {
          List<MemberKey> keys = unwanted.stream().map(MemberKey::of).toList();
          Job job = running.job();
          shrinks.add(new Decision.Shrink(job.id(), job.version(), running.attempt().id(), keys));
        }
      }
    }
    return shrinks;
  }

  /** Grows gangs and takes the resources of the new members from the working copy. */
  public List<Decision> grow() {
    List<RunningAttempt> growing = new ArrayList<>();
    for (RunningAttempt running : reservations.attempts().all()) {
      if (mayGrow(running)) {
        growing.add(running);
      }
    }
    growing.sort(ORDER);
    List<Decision> grown = new ArrayList<>();
    for (RunningAttempt running : growing) {
      Decision grow = work.spent() ? null : grow(running);
      if (grow != null) {
        grown.add(grow);
      }
    }
    return grown;
  }

  /**
   * A member that joined later would outlive the deadline that proves the death of the other
   * members.
   */
  private boolean mayGrow(RunningAttempt running) {
    Job job = running.job();
    Attempt attempt = running.attempt();
    return job.spec().elastic()
        && attempt.members().size() < job.spec().members()
        && job.spec().placement().segment() == null
        && job.spec().onUnreachable() != OnUnreachable.AFTER_DEADLINE
        && attempt.state() == AttemptState.RUNNING
        && job.state() == JobState.RUNNING
        && running.leaving().isEmpty()
        && attempt.members().stream().allMatch(m -> m.standing() == null)
        && GrowthPolicy.DEFAULT.rested(attempt, asOf);
  }

  private @Nullable Decision grow(RunningAttempt running) {
    GangShape gang =
        advanceReservations
            .at(GangShape.of(running.job()), running.job(), asOf)
            .among(running.neighbours());
    FlavorAssignment assignment = joining.assignment(running, gang);
    if (assignment == null || demand.wants(assignment)) {
      return null;
    }
    int[] lacking = lacking(running, gang);
    int most = 0;
    for (int role : lacking) {
      most = Math.max(most, role);
    }
    int low = 0;
    while (low < most) {
      int middle = (low + most + 1) >>> 1;
      int mark = ledger.mark();
      boolean fits = take(running, gang, assignment, atMost(lacking, middle));
      ledger.undo(mark);
      if (fits) {
        low = middle;
      } else {
        most = middle - 1;
      }
    }
    int mark = ledger.mark();
    if (low == 0 || !take(running, gang, assignment, atMost(lacking, low))) {
      ledger.undo(mark);
      return null;
    }
    List<Member> members = Joining.members(running.attempt(), assignment, ledger.since(mark));
    Job job = running.job();
    return new Decision.Grow(job.id(), job.version(), running.attempt().id(), members);
  }

  private static int[] lacking(RunningAttempt running, GangShape gang) {
    int[] lacking = new int[gang.roles().size()];
    for (MemberShape role : gang.roles()) {
      int there = 0;
      for (Member member : running.attempt().members()) {
        there += member.role().equals(role.name()) ? 1 : 0;
      }
      lacking[role.role()] = Math.max(0, role.count() - there);
    }
    return lacking;
  }

  private static int[] atMost(int[] lacking, int most) {
    int[] some = lacking.clone();
    for (int role = 0; role < some.length; role++) {
      some[role] = Math.min(some[role], most);
    }
    return some;
  }

  /** Takes quota and nodes for this many more members of each role. The caller undoes a failure. */
  private boolean take(
      RunningAttempt running, GangShape gang, FlavorAssignment assignment, int[] more) {
    Charges charges = Charges.expected(gang, assignment, more);
    return !demand.wants(running.job().queue(), charges)
        && joining.take(running, gang, assignment, more);
  }
}
