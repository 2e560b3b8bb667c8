package dev.fairlead.work.placement.ledger;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is left on one node of resources that its cluster names: fabrics, slices cut before. */
final class Extended {
  private final SortedMap<String, Long> free;

  Extended(SortedMap<String, Long> free) {
    this.free = new TreeMap<>(free);
  }

  /** Members that fit, by what each asks. */
  static long fits(Map<String, Long> free, Map<String, Long> asked) {
    long fits = Integer.MAX_VALUE;
    for (Map.Entry<String, Long> each : asked.entrySet()) {
      long left = Math.max(0, free.getOrDefault(each.getKey(), 0L));
      fits = each.getValue() <= 0 ? fits : Math.min(fits, left / each.getValue());
    }
    return fits;
  }

  long fits(Map<String, Long> asked) {
    return fits(free, asked);
  }

  void move(Map<String, Long> amounts, int sign) {
    amounts.forEach((name, amount) -> free.merge(name, sign * amount, Long::sum));
  }

  /** The free part of each. */
  SortedMap<String, Long> free(Map<String, Long> asked) {
    SortedMap<String, Long> there = new TreeMap<>();
    asked.forEach((name, amount) -> {
      long left = Math.max(0, free.getOrDefault(name, 0L));
      there.put(name, Math.clamp(amount, 0, left));
    });
    return there;
  }
}
