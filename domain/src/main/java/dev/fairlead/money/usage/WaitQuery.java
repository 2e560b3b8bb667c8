package dev.fairlead.money.usage;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which waits to add up.
 *
 * @param projects these alone; null for all of the tenant
 * @param from hours that begin at or after it, rounded down to the begin of a period
 * @param to hours that begin before it, rounded up to the end of a period
 * @param limit at most so many rows
 */
public record WaitQuery(
    TenantId tenant,
    @Nullable List<ProjectId> projects,
    UsageQuery.Period period,
    SortedSet<Group> groups,
    Instant from,
    Instant to,
    int limit) {
  /** What rows are grouped by. */
  public enum Group {
    PROJECT,
    QUEUE,
    /** The reason that is shown first of those for which a job waits. */
    CAUSE
  }

  /** Periods are whole, as those of use are. */
  public WaitQuery {
    from = period.begin(from);
    to = period.end(to);
    projects = projects == null ? null : List.copyOf(projects);
    groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
  }

  /** As those of {@link UsageQuery#parts}. */
  public List<UsageQuery.Part> parts() {
    return period.parts(from, to);
  }
}
