package dev.fairlead.work.placement.node;

import dev.fairlead.work.placement.node.NodeReservation.LeavingMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All reservations of one node. Capacity that a leaving member will free is not reserved a second
 * time. It is credited to exactly one reservation, regardless of their order. The reservation that
 * waits for the fewest members is credited first, and it first receives capacity that the fewest
 * reservations wait for.
 */
final class NodeReservations {
  private final List<NodeReservation> all = new ArrayList<>(0);
  private final SortedSet<LeavingMember> gone = new TreeSet<>();

  void add(NodeReservation reservation) {
    all.add(reservation);
  }

  void remove(NodeReservation reservation) {
    all.remove(reservation);
  }

  /** Sets whether the member has left. */
  void gone(LeavingMember leavingMember, boolean now) {
    if (now) {
      gone.add(leavingMember);
    } else {
      gone.remove(leavingMember);
    }
  }

  /** Returns, for each reservation, the amounts that no leaving member will free. */
  Map<NodeReservation, Amounts> lacking() {
    SortedMap<LeavingMember, Integer> awaited = new TreeMap<>();
    SortedMap<LeavingMember, Amounts> left = new TreeMap<>();
    for (NodeReservation reservation : all) {
      reservation
          .leaving()
          .forEach((leavingMember, amounts) -> {
            if (!gone.contains(leavingMember)) {
              awaited.merge(leavingMember, 1, Integer::sum);
              left.computeIfAbsent(leavingMember, l -> amounts.copy());
            }
          });
    }
    List<NodeReservation> inTurn = new ArrayList<>(all);
    inTurn.sort(
        Comparator.comparingLong((NodeReservation k) -> waitsFor(k, left))
            .thenComparing(NodeReservation.RANK));
    Map<NodeReservation, Amounts> lacking = new TreeMap<>(NodeReservation.RANK);
    for (NodeReservation reservation : inTurn) {
      Amounts open = reservation.starts().copy();
      List<LeavingMember> leavingMembers = new ArrayList<>(reservation.leaving().keySet());
      leavingMembers.sort(
          Comparator.comparingInt(leavingMember -> awaited.getOrDefault(leavingMember, 0)));
      for (LeavingMember leavingMember : leavingMembers) {
        Amounts there = left.get(leavingMember);
        if (there != null) {
          open.settle(there);
        }
      }
      lacking.put(reservation, open);
    }
    return lacking;
  }

  private static long waitsFor(NodeReservation reservation, Map<LeavingMember, Amounts> left) {
    return reservation.leaving().keySet().stream().filter(left::containsKey).count();
  }
}
