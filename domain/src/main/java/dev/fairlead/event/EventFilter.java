package dev.fairlead.relay.service;

import dev.fairlead.event.EventRecord;
import dev.fairlead.identity.IdKind;
import dev.fairlead.job.JobId;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which events somebody sees.
 *
 * @param project null for all of the tenant
 * @param job null for all
 * @param types empty for all
 */
public record EventFilter(
    TenantId tenant, @Nullable ProjectId project, @Nullable JobId job, Set<String> types)
    implements Predicate<EventRecord> {
  public EventFilter {
    types = Set.copyOf(types);
  }

  @Override
  public boolean test(EventRecord event) {
    return event.tenant().equals(tenant)
        && (project == null || project.equals(event.project()))
        && (job == null || event.subject() == IdKind.JOB && job.value().equals(event.subjectId()))
        && (types.isEmpty() || types.contains(event.fact().type()));
  }
}
