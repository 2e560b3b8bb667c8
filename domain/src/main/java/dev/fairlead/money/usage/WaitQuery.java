package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseQuery;
import dev.fairlead.money.usage.ledger.UseSum;
import dev.fairlead.money.usage.ledger.UseTimes;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Selects the waits to add up.
 *
 * @param projects only these projects, null for the whole tenant
 * @param from hours that begin at or after it, rounded down to the start of a period
 * @param to hours that begin before it, rounded up to the end of a period
 * @param limit maximum number of rows
 */
public record WaitQuery(
    TenantId tenant,
    @Nullable List<ProjectId> projects,
    UsageQuery.Period period,
    SortedSet<Group> groups,
    Instant from,
    Instant to,
    int limit) {
  /** Dimensions by which rows are grouped. */
  public enum Group {
    PROJECT,
    QUEUE,
    /** First reason of a waiting job's explanation. */
    CAUSE;

    private UseDimension dimension() {
      return this == CAUSE ? UseDimension.DETAIL : UseDimension.valueOf(name());
    }
  }

  /** Rounds to full periods, as for usage. */
  public WaitQuery {
    from = period.begin(from);
    to = period.end(to);
    projects = projects == null ? null : List.copyOf(projects);
    groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
  }

  /** Like {@link UsageQuery#parts}. */
  public List<UsageQuery.Part> parts() {
    return period.parts(from, to);
  }

  /** Reports waits by period and groups. Inside a transaction of the tenant. */
  public List<WaitRow> report(UseLedger ledger) {
    long openMillis = ledger.open();
    Set<UseDimension> by = EnumSet.noneOf(UseDimension.class);
    groups.forEach(group -> by.add(group.dimension()));
    UseQuery query =
        new UseQuery(
            EnumSet.of(UseKind.WAIT),
            tenant,
            UseTimes.spans(List.of(from.toEpochMilli()), to.toEpochMilli()),
            by,
            List.of(),
            UsageQuery.ofProjects(projects),
            limit);
    return period.rows(ledger, query, parts(), sum -> row(sum, openMillis));
  }

  private WaitRow row(UseSum sum, long openMillis) {
    SortedMap<Group, String> values = new TreeMap<>();
    groups.forEach(group -> values.put(group, sum.shown(group.dimension())));
    Instant begin = Instant.ofEpochMilli(sum.beginMillis());
    return new WaitRow(begin, values, sum.amount(), period.preliminary(begin, openMillis));
  }
}
