package dev.fairlead.money.usage;

import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Waits of jobs in one period.
 *
 * @param begin start of the period
 * @param group value of each requested group. Projects and queues by name, or by id if they no
 *     longer exist
 * @param jobMillis number of jobs times milliseconds
 * @param preliminary whether an hour of it may still change
 */
public record WaitRow(
    Instant begin, SortedMap<WaitQuery.Group, String> group, long jobMillis, boolean preliminary) {
  public WaitRow {
    group = Collections.unmodifiableSortedMap(new TreeMap<>(group));
  }
}
