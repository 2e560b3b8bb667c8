package dev.fairlead.placement.ledger;

import dev.fairlead.placement.ledger.NodeReservation.Leaver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All that is kept of one node. What leaves there for somebody is not kept for him as well. It
 * counts once, however many wait for it and in whatever order they came: first for those who wait
 * for the fewest, and of those who leave first whom the fewest wait for.
 */
final class NodeReservations {
  private final List<NodeReservation> all = new ArrayList<>(0);
  private final SortedSet<Leaver> gone = new TreeSet<>();

  void add(NodeReservation kept) {
    all.add(kept);
  }

  void remove(NodeReservation kept) {
    all.remove(kept);
  }

  /** It has left, or is back. */
  void gone(Leaver leaver, boolean now) {
    if (now) {
      gone.add(leaver);
    } else {
      gone.remove(leaver);
    }
  }

  /** What is to start here and is not still to be freed, for each. */
  Map<NodeReservation, Amounts> lacking() {
    SortedMap<Leaver, Integer> awaited = new TreeMap<>();
    SortedMap<Leaver, Amounts> left = new TreeMap<>();
    for (NodeReservation kept : all) {
      kept.leaving()
          .forEach(
              (leaver, amounts) -> {
                if (!gone.contains(leaver)) {
                  awaited.merge(leaver, 1, Integer::sum);
                  left.computeIfAbsent(leaver, l -> amounts.copy());
                }
              });
    }
    List<NodeReservation> inTurn = new ArrayList<>(all);
    inTurn.sort(
        Comparator.comparingLong((NodeReservation k) -> waitsFor(k, left))
            .thenComparing(NodeReservation.RANK));
    Map<NodeReservation, Amounts> lacking = new TreeMap<>(NodeReservation.RANK);
    for (NodeReservation kept : inTurn) {
      Amounts open = kept.starts().copy();
      List<Leaver> leavers = new ArrayList<>(kept.leaving().keySet());
      leavers.sort(Comparator.comparingInt(leaver -> awaited.getOrDefault(leaver, 0)));
      for (Leaver leaver : leavers) {
        Amounts there = left.get(leaver);
        if (there != null) {
          open.settle(there);
        }
      }
      lacking.put(kept, open);
    }
    return lacking;
  }

  private static long waitsFor(NodeReservation kept, Map<Leaver, Amounts> left) {
    return kept.leaving().keySet().stream().filter(left::containsKey).count();
  }
}
