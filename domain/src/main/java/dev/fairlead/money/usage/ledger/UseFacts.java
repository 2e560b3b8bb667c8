package dev.fairlead.money.usage.ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Facts of all kinds of one hour or day.
 *
 * @param startMillis start of the hour or day, milliseconds since 1970
 * @param sums amount by key
 */
public record UseFacts(long startMillis, SortedMap<UseKey, Long> sums) {
  public UseFacts {
    sums = Collections.unmodifiableSortedMap(new TreeMap<>(sums));
  }

  /** Returns these facts together with facts of other kinds. */
  public UseFacts and(UseFacts others) {
    SortedMap<UseKey, Long> all = new TreeMap<>(sums);
    others.sums.forEach((key, amount) -> all.merge(key, amount, Long::sum));
    return new UseFacts(startMillis, all);
  }

  /** Returns the differences between these stored facts and the correct facts, for every kind. */
  public List<HourDifference> differences(UseFacts right) {
    Set<UseKey> keys = new LinkedHashSet<>(sums.keySet());
    keys.addAll(right.sums.keySet());
    List<HourDifference> found = new ArrayList<>();
    for (UseKey key : keys) {
      long stored = sums.getOrDefault(key, 0L);
      long due = right.sums.getOrDefault(key, 0L);
      if (stored != due) {
        found.add(new HourDifference(startMillis, key.names(), stored, due));
      }
    }
    return found;
  }
}
