package dev.fairlead.placement.ledger;

import dev.fairlead.placement.ledger.Kept.Leaver;
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
final class Keeps {
  private final List<Kept> all = new ArrayList<>(0);
  private final SortedSet<Leaver> gone = new TreeSet<>();

  void add(Kept kept) {
    all.add(kept);
  }

  void remove(Kept kept) {
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
  Map<Kept, Amounts> lacking() {
    SortedMap<Leaver, Integer> awaited = new TreeMap<>();
    SortedMap<Leaver, Amounts> left = new TreeMap<>();
    for (Kept kept : all) {
      kept.leaving()
          .forEach((leaver, amounts) -> {
            if (!gone.contains(leaver)) {
              awaited.merge(leaver, 1, Integer::sum);
              left.computeIfAbsent(leaver, l -> amounts.copy());
            }
          });
    }
    List<Kept> inTurn = new ArrayList<>(all);
    inTurn.sort(Comparator.comparingLong((Kept k) -> waitsFor(k, left)).thenComparing(Kept.RANK));
    Map<Kept, Amounts> lacking = new TreeMap<>(Kept.RANK);
    for (Kept kept : inTurn) {
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

  private static long waitsFor(Kept kept, Map<Leaver, Amounts> left) {
    return kept.leaving().keySet().stream().filter(left::containsKey).count();
  }
}
