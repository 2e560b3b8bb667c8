package dev.fairlead.money.usage;

import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Usage in one period.
 *
 * @param begin start of the period
 * @param group value of each requested group. Projects and queues by name, or by id if they no
 *     longer exist
 * @param labels value of each requested label, empty if none
 * @param milliMillis thousandths of a GPU times milliseconds
 * @param preliminary whether any hour may still change
 */
public record UsageRow(
    Instant begin,
    SortedMap<UsageQuery.Group, String> group,
    SortedMap<String, String> labels,
    long milliMillis,
    boolean preliminary) {
  public UsageRow {
    group = Collections.unmodifiableSortedMap(new TreeMap<>(group));
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }
}
