package dev.fairlead.money.usage.ledger;

import java.time.Duration;
import java.util.List;

/**
 * Time of a report, and the periods of its rows.
 *
 * @param begins starts of the periods in order, the start of the report first, milliseconds since
 *     1970. Each is the start of an hour
 * @param toMillis end of the report
 * @param stepMillis length of each period, counted from 1970. 0 if the periods are the begins
 * @param first whether rows are in order of their periods, then of their dimensions. Otherwise the
 *     periods of equal dimensions are together
 */
public record UseTimes(List<Long> begins, long toMillis, long stepMillis, boolean first) {
  private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  public UseTimes {
    begins = List.copyOf(begins);
  }

  /** Periods between the begins, behind each other for equal dimensions. */
  public static UseTimes spans(List<Long> begins, long toMillis) {
    return new UseTimes(begins, toMillis, 0, false);
  }

  /** A row for each hour. */
  public static UseTimes hours(long fromMillis, long toMillis, boolean first) {
    return new UseTimes(List.of(fromMillis), toMillis, HOUR_MILLIS, first);
  }

  public long fromMillis() {
    return begins.getFirst();
  }

  /** Returns whether no period begins within a day. A day at the start or end may be in part. */
  boolean areOfDays() {
    return stepMillis > 0
        ? stepMillis % DAY_MILLIS == 0
        : begins.stream().skip(1).allMatch(begin -> begin % DAY_MILLIS == 0);
  }

  /** Start of the period that contains an hour. */
  public long begin(long hourMillis) {
    if (stepMillis > 0) {
      return hourMillis - Math.floorMod(hourMillis, stepMillis);
    }
    return begins.get(span(hourMillis));
  }

  /** Index of the period that contains an hour. */
  public int span(long hourMillis) {
    int span = begins.size() - 1;
    while (span > 0 && begins.get(span) > hourMillis) {
      span--;
    }
    return span;
  }
}
