package dev.fairlead.money.usage.ledger;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A sum of a closed hour that differs from the intervals.
 *
 * @param hourMillis start of the hour, milliseconds since 1970
 * @param key key of the sum, by name: an owner of usage, a part of the fleet and a bucket, or a
 *     wait and its cause
 * @param stored thousandths of a GPU times milliseconds, of a wait jobs times milliseconds, 0 for a
 *     row that is missing
 * @param reckoned the same computed from the intervals, 0 for a row that should not exist
 */
public record HourDifference(
    long hourMillis, SortedMap<String, String> key, long stored, long reckoned) {
  public HourDifference {
    key = Collections.unmodifiableSortedMap(new TreeMap<>(key));
  }

  /** The difference of a sum of a day (UTC), whose key names the day. */
  public HourDifference ofDay() {
    SortedMap<String, String> ofDay = new TreeMap<>(key);
    ofDay.put(
        "day", LocalDate.ofInstant(Instant.ofEpochMilli(hourMillis), ZoneOffset.UTC).toString());
    return new HourDifference(hourMillis, ofDay, stored, reckoned);
  }
}
