package dev.fairlead.work.job.store;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.PreemptionCount;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Explanations by class of equal jobs, the class of each job, and the decisions about each job. A
 * read model: explanations of classes may lag.
 */
public interface ExplanationStore {
  /**
   * Writes changed classes and the jobs with a changed class, in one transaction. The store may
   * drop a class without jobs.
   */
  void put(Map<String, Explanation> classes, Map<JobId, String> jobs);

  /** Writes when jobs are likely to start. Does nothing for jobs without an explanation. */
  void expect(Map<JobId, ExpectedStart> starts);

  Optional<Stored> of(JobId job);

  /** For lists. Jobs without an explanation are omitted. All jobs belong to the tenant. */
  Map<JobId, Stored> of(TenantId tenant, Collection<JobId> jobs);

  /**
   * Adds decisions, in this order, in the open transaction or a separate one. Skips a wait with an
   * unreachable begin and the reason of the newest decision of its job, and decisions without a
   * job. An event is never earlier than its predecessor: its time is raised to the predecessor's.
   * For each job the newest decisions of each {@link DecisionRecord.Kind#most} remain. They are
   * deleted with the job, and a year after the decision.
   *
   * @return false when they could not be stored. The open transaction continues without them, since
   *     a decision must not fail for its record
   */
  default boolean keep(List<DecisionRecord> decisions) {
    return keep(decisions, List.of());
  }

  /** Stores the decisions and adds to the counts of this UTC day. Does both or neither. */
  boolean keep(List<DecisionRecord> decisions, List<PreemptionCount> counts);

  /**
   * Counts of jobs of a queue and priority over the given days, including this one. Ordered by
   * flavor, starts first. Days of more than two months ago are deleted.
   *
   * @param days 1 or more
   */
  List<PreemptionCount> counted(TenantId tenant, QuotaNodeId queue, int priority, int days);

  /**
   * Decisions about the job, ended or not, in order. At most {@link DecisionRecord#MOST}.
   * Unreadable ones are {@link DecisionRecord.Unreadable}.
   */
  List<DecisionRecord> decisions(TenantId tenant, JobId job);

  /** Decisions about all jobs of the tenant, ended or not, by time. Then by job. */
  List<DecisionRange.Row> decided(TenantId tenant, DecisionRange range);

  /**
   * An explanation as stored.
   *
   * @param since time when the job entered this class
   * @param expected when the job is likely to start, null while too little is known
   */
  record Stored(
      String classKey, Explanation explanation, Instant since, @Nullable ExpectedStart expected) {}
}
