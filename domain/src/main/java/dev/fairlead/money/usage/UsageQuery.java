package dev.fairlead.money.usage;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selection and grouping of the sums.
 *
 * @param projects only these projects, null for the whole tenant
 * @param user only this user, null for all
 * @param labels keys of labels that rows are grouped by, too. At most {@link UsageLabels#MOST}
 * @param from hours that begin at or after it, rounded down to the start of a period
 * @param to hours that begin before it, rounded up to the end of a period
 * @param limit maximum number of rows
 */
@RecordBuilder
public record UsageQuery(
    TenantId tenant,
    @Nullable List<ProjectId> projects,
    @Nullable String user,
    Period period,
    SortedSet<Group> groups,
    SortedSet<String> labels,
    Instant from,
    Instant to,
    int limit) {
  /**
   * A part of the time of a report, of whole periods.
   *
   * @param to end, exclusive
   */
  public record Part(Instant from, Instant to) {}

  /** Period of one row, in UTC. */
  public enum Period {
    HOUR(ChronoUnit.HOURS),
    DAY(ChronoUnit.DAYS),
    MONTH(ChronoUnit.MONTHS);

    private static final Duration FIRST_PART = Duration.ofDays(31);
    private final ChronoUnit unit;

    Period(ChronoUnit unit) {
      this.unit = unit;
    }

    /** Start of the period that contains the time. */
    Instant begin(Instant at) {
      ZonedDateTime time = at.atZone(ZoneOffset.UTC);
      return this == MONTH
          ? time.with(TemporalAdjusters.firstDayOfMonth()).truncatedTo(ChronoUnit.DAYS).toInstant()
          : time.truncatedTo(unit).toInstant();
    }

    /**
     * End of the period that contains the time. Returns the time itself if a bucket begins at it.
     */
    Instant end(Instant at) {
      Instant begin = begin(at);
      return begin.equals(at) ? at : begin.atZone(ZoneOffset.UTC).plus(1, unit).toInstant();
    }

    /** Starts at the first of a month. Each further bucket is twice as long as the previous one. */
    List<Part> parts(Instant from, Instant to) {
      List<Part> parts = new ArrayList<>();
      Instant begin = from;
      for (Duration length = FIRST_PART; begin.isBefore(to); length = length.multipliedBy(2)) {
        Instant end = end(begin.plus(length));
        Instant next = end.isBefore(to) ? end : to;
        parts.add(new Part(begin, next));
        begin = next;
      }
      return parts;
    }
  }

  /** Dimensions by which rows are grouped. */
  public enum Group {
    PROJECT,
    QUEUE,
    USER,
    POOL,
    MODEL,
    CAPACITY
  }

  /** Periods are never cut off: a part of a month would read as the month. */
  public UsageQuery {
    from = period.begin(from);
    to = period.end(to);
    projects = projects == null ? null : List.copyOf(projects);
    groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
    labels = Collections.unmodifiableSortedSet(new TreeSet<>(labels));
  }

  /**
   * Parts that are read one after the other, so that a report with too many rows is not read to its
   * end. A report by label has a single part, because the values it retains depend on the whole
   * report.
   */
  public List<Part> parts() {
    return labels.isEmpty() ? period.parts(from, to) : List.of(new Part(from, to));
  }
}
