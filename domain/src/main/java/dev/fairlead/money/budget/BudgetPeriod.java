package dev.fairlead.money.budget;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.SortedMap;
import java.util.TreeMap;

/** Time after which the amount of a budget is available again. Periods begin at midnight in UTC. */
public enum BudgetPeriod {
  /** From Monday on. */
  WEEK {
    @Override
    LocalDate begin(LocalDate day) {
      return day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
    }

    @Override
    LocalDate next(LocalDate begin) {
      return begin.plusWeeks(1);
    }
  },
  /** A calendar month. */
  MONTH {
    @Override
    LocalDate begin(LocalDate day) {
      return day.withDayOfMonth(1);
    }

    @Override
    LocalDate next(LocalDate begin) {
      return begin.plusMonths(1);
    }
  };

  abstract LocalDate begin(LocalDate day);

  abstract LocalDate next(LocalDate begin);

  /** Start of the period that holds the moment, both in milliseconds since 1970. */
  public long begin(long millis) {
    return millis(begin(LocalDate.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC)));
  }

  /** Start of the next period after a moment. */
  public long end(long millis) {
    LocalDate day = LocalDate.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    return millis(next(begin(day)));
  }

  private static long millis(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  /** Milliseconds of the span in each period, by the start of the period, empty for no time. */
  public SortedMap<Long, Long> split(long fromMillis, long toMillis) {
    SortedMap<Long, Long> parts = new TreeMap<>();
    for (long at = fromMillis; at < toMillis; ) {
      long end = Math.min(end(at), toMillis);
      parts.put(begin(at), end - at);
      at = end;
    }
    return parts;
  }
}
