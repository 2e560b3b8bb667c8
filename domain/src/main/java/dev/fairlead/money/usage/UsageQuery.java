package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
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
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
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

    /** Returns whether the period that begins at a moment has hours that may still change. */
    boolean preliminary(Instant begin, long openMillis) {
      return begin.atZone(ZoneOffset.UTC).plus(1, unit).toInstant().toEpochMilli() > openMillis;
    }

    /** The periods of a part of a report. */
    private UseTimes times(Part part) {
      List<Long> begins = new ArrayList<>();
      for (Instant begin = part.from();
          begins.isEmpty() || this == MONTH && begin.isBefore(part.to());
          begin = begin.atZone(ZoneOffset.UTC).plus(1, unit).toInstant()) {
        begins.add(begin.toEpochMilli());
      }
      long step = this == MONTH ? 0 : unit.getDuration().toMillis();
      return new UseTimes(begins, part.to().toEpochMilli(), step, true);
    }

    /** Rows of the parts in order, up to the limit of the query. */
    <T> List<T> rows(UseLedger ledger, UseQuery query, List<Part> parts, Function<UseSum, T> row) {
      List<T> rows = new ArrayList<>();
      for (Part part : parts) {
        int left = query.limit() - rows.size();
        if (left > 0) {
          ledger.report(query.within(times(part), left), sum -> rows.add(row.apply(sum)));
        }
      }
      return rows;
    }

    /** Starts at the first of a month. Each later bucket is twice as long as the previous one. */
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
    CAPACITY;

    UseDimension dimension() {
      return UseDimension.valueOf(name());
    }
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

  /** Reports usage by period and groups. Inside a transaction of the tenant. */
  public List<UsageRow> report(UseLedger ledger) {
    long openMillis = ledger.open();
    Map<UseDimension, List<String>> only = ofProjects(projects);
    if (user != null) {
      only.put(UseDimension.USER, List.of(user));
    }
    Set<UseDimension> by = EnumSet.noneOf(UseDimension.class);
    groups.forEach(group -> by.add(group.dimension()));
    UseQuery query =
        new UseQuery(
            labels.isEmpty() ? EnumSet.of(UseKind.USE) : EnumSet.of(UseKind.USE, UseKind.LABELLED),
            tenant,
            UseTimes.spans(List.of(from.toEpochMilli()), to.toEpochMilli()),
            by,
            List.copyOf(labels),
            only,
            limit);
    return period.rows(ledger, query, parts(), sum -> row(sum, openMillis));
  }

  private UsageRow row(UseSum sum, long openMillis) {
    SortedMap<Group, String> values = new TreeMap<>();
    groups.forEach(group -> values.put(group, sum.shown(group.dimension())));
    Instant begin = Instant.ofEpochMilli(sum.beginMillis());
    return new UsageRow(
        begin, values, sum.key().labels(), sum.amount(), period.preliminary(begin, openMillis));
  }

  /** Accepted projects, none for all. */
  static Map<UseDimension, List<String>> ofProjects(@Nullable List<ProjectId> projects) {
    Map<UseDimension, List<String>> only = new EnumMap<>(UseDimension.class);
    if (projects != null) {
      only.put(UseDimension.PROJECT, projects.stream().map(id -> id.value().toString()).toList());
    }
    return only;
  }
}
