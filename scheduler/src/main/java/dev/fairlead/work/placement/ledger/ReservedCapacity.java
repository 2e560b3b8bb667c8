package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.placement.shape.AntiAffinity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What is kept of one node for jobs that wait: each reservation there takes what it lacks, as far
 * as the node has it free.
 */
public final class ReservedCapacity {
  private static final Amounts NOTHING = new Amounts();

  private final NodeCapacity capacity;
  private final NodeReservations reservations = new NodeReservations();
  private final List<ReservationHandle> handles = new ArrayList<>(0);

  ReservedCapacity(NodeCapacity capacity) {
    this.capacity = capacity;
  }

  /**
   * As if the member of a running attempt were gone; devices that failed stay as they are, and what
   * is kept here for others takes of it what it lacked.
   */
  public Undo vacate(AttemptId attempt, Member member, AntiAffinity antiAffinity) {
    NodeReservation.LeavingMember leavingMember =
        new NodeReservation.LeavingMember(attempt, MemberKey.of(member));
    lift();
    Undo occupied = capacity.vacate(member, antiAffinity);
    reservations.gone(leavingMember, true);
    apply();
    return () -> {
      lift();
      occupied.run();
      reservations.gone(leavingMember, false);
      apply();
    };
  }

  /**
   * Reserves what is free, and what comes free while the reservation lasts. Where that is not
   * enough for all reservations, {@link NodeReservation#RANK} decides.
   *
   * @param antiAffinity of the members to come: jobs that they avoid, or that avoid them, do not
   *     start here before
   */
  public ReservationHandle reserve(NodeReservation reservation, AntiAffinity antiAffinity) {
    ReservationHandle handle = new ReservationHandle(reservation, antiAffinity);
    lift();
    capacity.occupy(antiAffinity, 1);
    reservations.add(reservation);
    handles.add(handle);
    handles.sort(Comparator.comparing(h -> h.reservation, NodeReservation.RANK));
    apply();
    return handle;
  }

  private void apply() {
    if (handles.isEmpty()) {
      return;
    }
    Map<NodeReservation, Amounts> lacking = reservations.lacking();
    handles.forEach(handle -> handle.take(lacking.getOrDefault(handle.reservation, NOTHING)));
    handles.stream().filter(handle -> handle.lent).forEach(ReservationHandle::give);
  }

  private void lift() {
    handles.stream().filter(handle -> !handle.lent).forEach(ReservationHandle::give);
  }

  /** What is kept, as far as it is there. */
  public final class ReservationHandle {
    private final NodeReservation reservation;
    private final AntiAffinity antiAffinity;
    private SlotAmounts taken = SlotAmounts.NONE;
    private boolean lent;

    ReservationHandle(NodeReservation reservation, AntiAffinity antiAffinity) {
      this.reservation = reservation;
      this.antiAffinity = antiAffinity;
    }

    /** Leaves it free for now; what is kept for others stays as it is. */
    public void lend() {
      lent = true;
      capacity.occupy(antiAffinity, -1);
      give();
    }

    /** Keeps it again, as far as it is still there. */
    public void restore() {
      lift();
      lent = false;
      capacity.occupy(antiAffinity, 1);
      apply();
    }

    /** For good. */
    public void end() {
      lift();
      if (!lent) {
        capacity.occupy(antiAffinity, -1);
      }
      reservations.remove(reservation);
      handles.remove(this);
      apply();
    }

    private void take(Amounts lacking) {
      taken = capacity.free(lacking);
      capacity.move(taken, -1);
    }

    private void give() {
      capacity.move(taken, 1);
    }
  }
}
