package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageRow;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Usage in one period.
 *
 * @param from start of the hour, day or month, in UTC
 * @param group values of the requested groups, by name. The pool is empty for nodes without a pool.
 *     A label is empty for usage by jobs without it
 * @param gpuHours GPU-hours, rounded to a millionth
 * @param milliGpuMillis exact usage in thousandths of a GPU times milliseconds
 * @param preliminary whether the row may still change. An hour is closed ten minutes after its end
 */
record UsageRowResponse(
    Instant from,
    SortedMap<String, String> group,
    BigDecimal gpuHours,
    long milliGpuMillis,
    boolean preliminary) {
  /** Prefix of the key of a label group. */
  static final String LABEL = "label:";

  static UsageRowResponse of(UsageRow row) {
    SortedMap<String, String> group = new TreeMap<>();
    row.group().forEach((by, value) -> group.put(wire(by), value));
    row.labels().forEach((label, value) -> group.put(LABEL + label, value));
    return new UsageRowResponse(
        row.begin(), group, GpuHours.of(row.milliMillis()), row.milliMillis(), row.preliminary());
  }

  /** One of project, queue, user, pool, model and capacity. */
  static UsageQuery.Group group(String name) {
    return Arrays.stream(UsageQuery.Group.values())
        .filter(group -> wire(group).equals(name))
        .findFirst()
        .orElseThrow(() ->
            Parameters.refused(
                "by",
                "must be one of "
                    + String.join(
                        ", ",
                        Arrays.stream(UsageQuery.Group.values())
                            .map(UsageRowResponse::wire)
                            .toList())
                    + " and label:KEY"));
  }

  private static String wire(UsageQuery.Group group) {
    return group.name().toLowerCase(Locale.ROOT);
  }
}
