package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which events a caller sees.
 *
 * @param project null for all of the tenant
 * @param job the value of its id, null for all
 * @param types empty for all
 */
public record EventFilter(
    TenantId tenant, @Nullable ProjectId project, @Nullable UUID job, SortedSet<String> types)
    implements Predicate<EventRecord> {
  public EventFilter {
    types = Collections.unmodifiableSortedSet(new TreeSet<>(types));
  }

  @Override
  public boolean test(EventRecord event) {
    return event.tenant().equals(tenant)
        && (project == null || project.equals(event.project()))
        && (job == null || event.subject() == IdKind.JOB && job.equals(event.subjectId()))
        && (types.isEmpty() || types.contains(event.fact().type()));
  }
}
