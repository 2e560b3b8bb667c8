package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Explanation;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Explanations by class of equal jobs, which job is of which class, and what was decided of each
 * job. A read model: what is said of classes may lag the truth.
 */
public interface ExplanationStore {
  /**
   * Writes changed classes and the jobs whose class changed, in one transaction. A class that no
   * job has any more may be dropped by the store.
   */
  void put(Map<String, Explanation> classes, Map<JobId, String> jobs);

  /** Writes when jobs are likely to start; for jobs that have no explanation it does nothing. */
  void expect(Map<JobId, ExpectedStart> starts);

  Optional<Stored> of(JobId job);

  /** For lists; those without an explanation are left out. All of them are the tenant's. */
  Map<JobId, Stored> of(TenantId tenant, Collection<JobId> jobs);

  /**
   * Adds what was decided, in this order, in the open transaction or one of its own. Left out: a
   * wait that was not seen to begin and whose reason is that of the newest decision of its job, and
   * what belongs to no job. None is earlier than the one before it: the time is raised to that. Of
   * each job the newest of each {@link DecisionRecord.Kind#most} stay; they go with the job when it
   * is deleted, and a year after they were decided.
   *
   * @return false when they could not be stored; the open transaction goes on without them, since
   *     no decision may fail for its record
   */
  default boolean keep(List<DecisionRecord> decisions) {
    return keep(decisions, List.of());
  }

  /** The same, and adds to what was counted on this day of UTC, or neither. */
  boolean keep(List<DecisionRecord> decisions, List<PreemptionCount> counts);

  /**
   * What was counted of jobs of a queue and priority on so many days, this one included; by flavor,
   * starts first. Days of before two months are gone.
   *
   * @param days 1 or more
   */
  List<PreemptionCount> counted(TenantId tenant, QuotaNodeId queue, int priority, int days);

  /**
   * What was decided of the job, ended or not, in the order in which it was decided; at most {@link
   * DecisionRecord#MOST}. What cannot be read is {@link DecisionRecord.Unreadable}.
   */
  List<DecisionRecord> decisions(TenantId tenant, JobId job);

  /** What was decided of all jobs of the tenant, ended or not, by time; then by job. */
  List<DecisionRange.Row> decided(TenantId tenant, DecisionRange range);

  /**
   * An explanation as stored.
   *
   * @param since when the job got into this class
   * @param expected when the job is likely to start; null while too little is known
   */
  record Stored(
      String classKey, Explanation explanation, Instant since, @Nullable ExpectedStart expected) {}
}
