package dev.fairlead.money.usage.web;

import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.service.UsageCommands;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * What came of reckoning hours again.
 *
 * @param hours closed hours that were compared
 * @param differences sums that were not what the intervals add up to
 * @param items the first of them, at most 100
 */
record UsageRebuildResponse(int hours, int differences, List<Difference> items) {
  /**
   * A sum that differs.
   *
   * @param from begin of the hour, or of the day whose key has a day, in UTC
   * @param key what it is of: ids of tenant, project and queue with user, pool, model and capacity
   *     of a use; cluster, pool, model and bucket of the fleet; with a cause, of a wait
   * @param storedMilliGpuMillis thousandths of a GPU times milliseconds, of a wait jobs times
   *     milliseconds; 0 where there was no row
   * @param reckonedMilliGpuMillis the same from the intervals, 0 where there should be none
   */
  record Difference(
      Instant from,
      SortedMap<String, String> key,
      long storedMilliGpuMillis,
      long reckonedMilliGpuMillis) {
    private static Difference of(HourDifference found) {
      return new Difference(
          Instant.ofEpochMilli(found.hourMillis()), found.key(), found.stored(), found.reckoned());
    }
  }

  static UsageRebuildResponse of(UsageCommands.Rebuilt rebuilt) {
    return new UsageRebuildResponse(
        rebuilt.hours(),
        rebuilt.differences(),
        rebuilt.named().stream().map(Difference::of).toList());
  }
}
