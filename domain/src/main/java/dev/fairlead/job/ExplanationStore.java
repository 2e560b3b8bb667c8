package dev.fairlead.job;

import dev.fairlead.explanation.Explanation;
import dev.fairlead.tenant.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Explanations by class of equal jobs, and which job is of which class. A read model: it may lag
 * the truth.
 */
public interface ExplanationStore {
  /**
   * Writes changed classes and the jobs whose class changed, in one transaction. A class that no
   * job has any more may be dropped by the store.
   */
  void put(Map<String, Explanation> classes, Map<JobId, String> jobs);

  Optional<Stored> of(JobId job);

  /** For lists; those without an explanation are left out. All of them are the tenant's. */
  Map<JobId, Stored> of(TenantId tenant, Collection<JobId> jobs);

  /**
   * An explanation as stored.
   *
   * @param since when the job got into this class
   */
  record Stored(String classKey, Explanation explanation, Instant since) {}
}
