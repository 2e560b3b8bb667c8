package dev.fairlead.work.serving.key;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * Hours of a report, in UTC.
 *
 * @param period period of each row
 * @param from a time in the first period
 * @param to end of the last hour
 */
public record UseSpan(Period period, Instant from, Instant to) {
  /** Length of the periods of a report. */
  public enum Period {
    HOUR(ChronoUnit.HOURS),
    DAY(ChronoUnit.DAYS),
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit unit;

    Period(ChronoUnit unit) {
      this.unit = unit;
    }

    /** Start of the period of a time. */
    public Instant begin(Instant at) {
      ZonedDateTime time = at.atZone(ZoneOffset.UTC);
      return this == MONTH
          ? time.with(TemporalAdjusters.firstDayOfMonth()).truncatedTo(ChronoUnit.DAYS).toInstant()
          : time.truncatedTo(unit).toInstant();
    }

    /** End of the period of a time. */
    public Instant end(Instant at) {
      return begin(at).atZone(ZoneOffset.UTC).plus(1, unit).toInstant();
    }
  }

  /** First hour: the begin of the first period. */
  public Instant first() {
    return period.begin(from);
  }
}
