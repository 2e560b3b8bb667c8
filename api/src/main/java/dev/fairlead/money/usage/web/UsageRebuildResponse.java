package dev.fairlead.money.usage.web;

import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.service.UsageCommands;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * Result of recomputing usage hours.
 *
 * @param hours number of closed hours that were compared
 * @param differences number of stored sums that differ from the sum of the intervals
 * @param items first differences, at most 100
 */
record UsageRebuildResponse(int hours, int differences, List<Difference> items) {
  /**
   * A sum that differs.
   *
   * @param from start of the hour in UTC, or of the day for a key by day
   * @param key dimensions of the sum by name, with its kind: USE, LABELLED, SPILL, RESERVED, FLEET
   *     or WAIT. Dimensions without a value are omitted
   * @param storedMilliGpuMillis stored sum in milli-GPU-milliseconds, or in job-milliseconds for a
   *     wait. 0 without a row
   * @param reckonedMilliGpuMillis sum of the intervals in the same unit, 0 if no row should exist
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
