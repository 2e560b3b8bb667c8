package dev.fairlead.placement.preemption;

import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNodeId;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The job that wants to start.
 *
 * @param created seconds on the clock of {@link RunningJob#created}
 * @param asks base units of the whole job by cell
 * @param lacking the cells of which evictions must free something
 * @param ownLacking the same for victims of its own queue, which give up what they hold of any cell
 *     that it asks where nodes lack the rest
 * @param rules what its queue may evict
 */
public record Preemptor(
    QuotaNodeId queue,
    int priority,
    double created,
    SortedMap<QuotaCell, Long> asks,
    SortedSet<QuotaCell> lacking,
    SortedSet<QuotaCell> ownLacking,
    PreemptionRules rules) {
  /** One that lacks the same of every queue. */
  public Preemptor(
      QuotaNodeId queue,
      int priority,
      double created,
      SortedMap<QuotaCell, Long> asks,
      SortedSet<QuotaCell> lacking,
      PreemptionRules rules) {
    this(queue, priority, created, asks, lacking, lacking, rules);
  }

  public Preemptor {
    asks = Collections.unmodifiableSortedMap(new TreeMap<>(asks));
    lacking = Collections.unmodifiableSortedSet(new TreeSet<>(lacking));
    ownLacking = Collections.unmodifiableSortedSet(new TreeSet<>(ownLacking));
  }

  /** Whether a job of the own queue may go. */
  boolean mayEvictOwn(RunningJob job) {
    return job.uses(ownLacking) && outranksOwn(job);
  }

  private boolean outranksOwn(RunningJob job) {
    return switch (rules.withinQueue()) {
      case NEVER -> false;
      case LOWER_PRIORITY -> job.priority() < priority;
      case LOWER_OR_NEWER_EQUAL ->
          job.priority() < priority || job.priority() == priority && created < job.created();
    };
  }

  /** Whether a job of another queue may go. */
  boolean mayReclaim(RunningJob job) {
    return job.uses(lacking) && outranksOther(job);
  }

  private boolean outranksOther(RunningJob job) {
    return switch (rules.reclaim()) {
      case NEVER -> false;
      case LOWER_PRIORITY -> job.priority() < priority;
      case ANY -> true;
    };
  }

  /** Whether its rules let a job go at all, whatever is lacking and whoever borrows. */
  boolean mayEver(RunningJob job) {
    return job.queue().equals(queue) ? outranksOwn(job) : outranksOther(job);
  }

  /** Whether it may take from other queues what its own side does not own. */
  boolean whileBorrowing() {
    return rules.whileBorrowing() == PreemptionRules.WhileBorrowing.LOWER_PRIORITY;
  }

  /** Whether a job of another queue may go even though the preemptor borrows. */
  boolean mayEvictWhileBorrowing(RunningJob job) {
    Integer highest = rules.maxVictimPriority();
    return whileBorrowing()
        && job.priority() < priority
        && (highest == null || job.priority() <= highest);
  }
}
