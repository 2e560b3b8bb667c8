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
    CAUSE
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
}
