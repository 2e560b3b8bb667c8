package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitRow;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Waiting time of jobs in one period.
 *
 * @param from start of the hour, day or month, in UTC
 * @param group values of the requested groups, by name. A cause is a reason for waiting
 * @param jobHours number of jobs times hours, rounded to a millionth
 * @param jobMillis exact waiting time: number of jobs times milliseconds
 * @param preliminary whether the row may still change. An hour is closed ten minutes after its end
 */
record WaitRowResponse(
    Instant from,
    SortedMap<String, String> group,
    BigDecimal jobHours,
    long jobMillis,
    boolean preliminary) {
  private static final BigDecimal MILLIS_OF_HOUR = BigDecimal.valueOf(3_600_000);
  private static final int DIGITS = 6;

  static WaitRowResponse of(WaitRow row) {
    SortedMap<String, String> group = new TreeMap<>();
    row.group().forEach((by, value) -> group.put(wire(by), value));
    BigDecimal hours =
        BigDecimal.valueOf(row.jobMillis()).divide(MILLIS_OF_HOUR, DIGITS, RoundingMode.HALF_EVEN);
    return new WaitRowResponse(row.begin(), group, hours, row.jobMillis(), row.preliminary());
  }

  /** One of project, queue and cause. */
  static WaitQuery.Group group(String name) {
    return Arrays.stream(WaitQuery.Group.values())
        .filter(group -> wire(group).equals(name))
        .findFirst()
        .orElseThrow(() -> Parameters.refused("by", "must be one of project, queue, cause"));
  }

  private static String wire(WaitQuery.Group group) {
    return group.name().toLowerCase(Locale.ROOT);
  }
}
