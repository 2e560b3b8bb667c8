package dev.fairlead.work.placement.node;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.placement.shape.Neighbours;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Reserved capacity of one node. Each reservation takes the amount that it lacks, capped at the
 * node's free capacity.
 */
public final class ReservedCapacity {
  private static final Amounts NOTHING = new Amounts();

  private final NodeCapacity capacity;
  private final NodeReservations reservations = new NodeReservations();
  private final List<ReservationHandle> handles = new ArrayList<>(0);

  public ReservedCapacity(NodeCapacity capacity) {
    this.capacity = capacity;
  }

  /**
   * Simulates that a member of a running attempt has left. Failed devices remain failed.
   * Reservations on the node take the freed amounts that they lack.
   */
  public Undo vacate(AttemptId attempt, Member member, Neighbours its) {
    NodeReservation.LeavingMember leavingMember =
        new NodeReservation.LeavingMember(attempt, MemberKey.of(member));
    lift();
    Undo occupied = capacity.vacate(member, its);
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
   * Reserves free capacity, and capacity that is freed during the reservation. If it is not enough
   * for all reservations, {@link NodeReservation#RANK} decides.
   *
   * @param its terms of the future members. Jobs that avoid these members, or that these members
   *     avoid, do not start on the nodes before the members
   */
  public ReservationHandle reserve(NodeReservation reservation, Neighbours its) {
    ReservationHandle handle = new ReservationHandle(reservation, its);
    lift();
    capacity.occupy(its, false, 1);
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

  /** The reserved amount, capped at the node's free capacity. */
  public final class ReservationHandle {
    private final NodeReservation reservation;
    private final Neighbours its;
    private SlotAmounts taken = SlotAmounts.NONE;
    private boolean lent;

    ReservationHandle(NodeReservation reservation, Neighbours its) {
      this.reservation = reservation;
      this.its = its;
    }

    /** Releases the amount temporarily. Other reservations do not change. */
    public void lend() {
      lent = true;
      capacity.occupy(its, false, -1);
      give();
    }

    /** Reserves the amount again, capped at the remaining free capacity. */
    public void restore() {
      lift();
      lent = false;
      capacity.occupy(its, false, 1);
      apply();
    }

    /** Ends the reservation permanently. */
    public void end() {
      lift();
      if (!lent) {
        capacity.occupy(its, false, -1);
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
