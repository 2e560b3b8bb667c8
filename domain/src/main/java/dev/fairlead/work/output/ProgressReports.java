package dev.fairlead.work.output;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.util.Collection;
import java.util.SortedMap;

/** Reads progress reports. */
public interface ProgressReports {
  /** Last reports of attempts of the tenant. Attempts without a report are missing. */
  SortedMap<AttemptId, ProgressReport> reports(TenantId tenant, Collection<AttemptId> attempts);
}
