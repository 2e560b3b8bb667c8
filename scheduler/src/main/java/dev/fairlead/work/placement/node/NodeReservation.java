package dev.fairlead.work.placement.node;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A reservation on one node: the members that will start there, and the members that still must
 * leave.
 */
public final class NodeReservation {
  /**
   * Preemption comes first, because its victims leave for this job. Reservations by runtime come
   * last, because every cycle recomputes them.
   */
  static final Comparator<NodeReservation> RANK =
      Comparator.comparingInt(NodeReservation::rank).thenComparing(NodeReservation::key);

  private final Reservation of;
  private final Amounts starts = new Amounts();
  private final SortedMap<LeavingMember, Amounts> leaving = new TreeMap<>();

  public NodeReservation(Reservation of) {
    this.of = of;
  }

  /** A member of a running attempt. */
  record LeavingMember(AttemptId attempt, MemberKey member) implements Comparable<LeavingMember> {
    @Override
    public int compareTo(LeavingMember other) {
      int byAttempt = attempt.compareTo(other.attempt);
      return byAttempt != 0 ? byAttempt : member.compareTo(other.member);
    }
  }

  /** Adds a member that will start here. */
  public void add(Member member) {
    starts.add(member);
  }

  /**
   * Adds a member of an attempt that leaves for this reservation. Its capacity is not reserved
   * until it has left.
   */
  public void leaving(AttemptId attempt, Member member) {
    leaving
        .computeIfAbsent(new LeavingMember(attempt, MemberKey.of(member)), l -> new Amounts())
        .add(member);
  }

  Reservation.Key key() {
    return of.key();
  }

  private int rank() {
    return switch (of.kind()) {
      case PREEMPTION -> 0;
      case FAULT -> 1;
      case PREFLIGHT -> 2;
      case DRAIN -> 3;
      case BACKFILL -> 4;
    };
  }

  Amounts starts() {
    return starts;
  }

  SortedMap<LeavingMember, Amounts> leaving() {
    return leaving;
  }
}
