package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.spec.WarmMember;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The job that preempts.
 *
 * @param created seconds on the clock of {@link RunningJob#created}
 * @param asks base units of the whole job by cell
 * @param lacking the cells with too little quota or too few nodes
 * @param helps the lacking cells, and other cells that nodes may lack. A victim must use at least
 *     one
 * @param rules the eviction rules of its queue
 */
public record Preemptor(
    QuotaNodeId queue,
    int priority,
    double created,
    SortedMap<QuotaCell, Long> asks,
    SortedSet<QuotaCell> lacking,
    SortedSet<QuotaCell> helps,
    PreemptionRules rules) {
  /** Creates a preemptor that counts only the lacking cells as helping. */
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
    helps = Collections.unmodifiableSortedSet(new TreeSet<>(helps));
  }

  /**
   * Returns whether a job of this priority has no user, as a member of a warm pool. The rules of a
   * queue do not protect it, and it evicts no job.
   */
  static boolean idle(int priority) {
    return priority == WarmMember.PRIORITY;
  }

  /** Returns whether a job of the same queue may be evicted. */
  boolean mayEvictOwn(RunningJob job) {
    return job.uses(helps) && outranksOwn(job);
  }

  private boolean outranksOwn(RunningJob job) {
    if (idle(priority)) {
      return false;
    }
    return switch (rules.withinQueue()) {
      case NEVER -> idle(job.priority());
      case LOWER_PRIORITY -> job.priority() < priority;
      case LOWER_OR_NEWER_EQUAL ->
          job.priority() < priority || job.priority() == priority && created < job.created();
    };
  }

  /** Returns whether a job of another queue may be evicted. */
  boolean mayReclaim(RunningJob job) {
    return job.uses(helps) && outranksOther(job);
  }

  /**
   * Returns the cells that decide whether a queue must give up the job: the lacking cells in use by
   * the job. If no such cell exists, returns the helping cells in use by the job.
   */
  SortedSet<QuotaCell> reclaimedFor(RunningJob job) {
    SortedSet<QuotaCell> cells = new TreeSet<>(job.uses(lacking) ? lacking : helps);
    cells.removeIf(cell -> job.use().getOrDefault(cell, 0L) == 0);
    return cells;
  }

  /**
   * Returns the cells for the comparison of shares with a victim: the GPU cells that it would free,
   * else all requested cells.
   */
  SortedSet<QuotaCell> compared(RunningJob victim) {
    return gpusOf(reclaimedFor(victim));
  }

  /** Returns the cells for the comparison of queue shares. */
  SortedSet<QuotaCell> compared() {
    return gpusOf(lacking);
  }

  private SortedSet<QuotaCell> gpusOf(SortedSet<QuotaCell> cells) {
    return cells.stream().anyMatch(cell -> cell.resource().equals(ResourceNames.GPU))
        ? scarce(cells)
        : new TreeSet<>(asks.keySet());
  }

  private boolean outranksOther(RunningJob job) {
    if (idle(priority)) {
      return false;
    }
    return switch (rules.reclaim()) {
      case NEVER -> idle(job.priority());
      case LOWER_PRIORITY -> job.priority() < priority;
      case ANY -> true;
    };
  }

  /**
   * Returns whether the rules permit a job as a victim at all, regardless of lacking cells and
   * borrowing queues.
   */
  boolean mayEver(RunningJob job) {
    return job.queue().equals(queue) ? outranksOwn(job) : outranksOther(job);
  }

  /**
   * Returns the rights that allow the eviction of a job, regardless of lacking cells and borrowing
   * queues.
   *
   * @param byShares whether its queue compares shares with others
   */
  List<EvictionRight> rights(RunningJob job, boolean byShares) {
    if (!mayEver(job)) {
      return List.of();
    }
    if (job.queue().equals(queue)) {
      return List.of(EvictionRight.WITHIN_QUEUE);
    }
    List<EvictionRight> rights = new ArrayList<>(List.of(EvictionRight.RECLAIM));
    if (byShares && rules.fairShare()) {
      rights.add(EvictionRight.FAIR_SHARE);
    }
    if (!byShares && mayEvictWhileBorrowing(job)) {
      rights.add(EvictionRight.WHILE_BORROWING);
    }
    return rights;
  }

  /** Returns the cells that victims must free if nodes are short: the GPU cells, if any. */
  static SortedSet<QuotaCell> scarce(SortedSet<QuotaCell> cells) {
    SortedSet<QuotaCell> gpus = new TreeSet<>(cells);
    gpus.removeIf(cell -> !cell.resource().equals(ResourceNames.GPU));
    return gpus.isEmpty() ? cells : gpus;
  }

  /**
   * Returns whether the preemptor may evict from other queues for quota that its own side does not
   * own.
   */
  boolean whileBorrowing() {
    return rules.whileBorrowing() == PreemptionRules.WhileBorrowing.LOWER_PRIORITY;
  }

  /** Returns whether a job of another queue may be evicted although the preemptor borrows. */
  boolean mayEvictWhileBorrowing(RunningJob job) {
    Integer highest = rules.maxVictimPriority();
    return whileBorrowing()
        && job.priority() < priority
        && (highest == null || job.priority() <= highest);
  }
}
