package dev.fairlead.work.placement.node;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Free amounts on one node of the resources that its cluster names: fabrics and preconfigured MIG
 * slices.
 */
final class Extended {
  private final SortedMap<String, Long> free;

  Extended(SortedMap<String, Long> free) {
    this.free = new TreeMap<>(free);
  }

  /** Returns how many members with this request fit. */
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

  /** Returns the free part of each amount. */
  SortedMap<String, Long> free(Map<String, Long> asked) {
    SortedMap<String, Long> there = new TreeMap<>();
    asked.forEach((name, amount) -> {
      long left = Math.max(0, free.getOrDefault(name, 0L));
      there.put(name, Math.clamp(amount, 0, left));
    });
    return there;
  }
}
