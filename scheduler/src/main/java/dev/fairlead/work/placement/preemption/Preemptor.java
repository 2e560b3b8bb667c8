package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.EvictionRight;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The job that wants to start.
 *
 * @param created seconds on the clock of {@link RunningJob#created}
 * @param asks base units of the whole job by cell
 * @param lacking the cells that quota lacks, or of which nodes are short
 * @param helps the cells of which each victim holds something: the lacking ones, and more where
 *     nodes may lack the rest
 * @param rules what its queue may evict
 */
public record Preemptor(
    QuotaNodeId queue,
    int priority,
    double created,
    SortedMap<QuotaCell, Long> asks,
    SortedSet<QuotaCell> lacking,
    SortedSet<QuotaCell> helps,
    PreemptionRules rules) {
  /** One that is helped by what is lacking alone. */
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

  /** Whether a job of the own queue may go. */
  boolean mayEvictOwn(RunningJob job) {
    return job.uses(helps) && outranksOwn(job);
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
    return job.uses(helps) && outranksOther(job);
  }

  /**
   * The cells that say whether a queue has to give the job: what is lacking where the job holds
   * some of it, otherwise what it holds of all that helps.
   */
  SortedSet<QuotaCell> reclaimedFor(RunningJob job) {
    SortedSet<QuotaCell> cells = new TreeSet<>(job.uses(lacking) ? lacking : helps);
    cells.removeIf(cell -> job.use().getOrDefault(cell, 0L) == 0);
    return cells;
  }

  /**
   * Cells in which shares are compared for a victim: GPUs among those that it would give, otherwise
   * all that the job asks for.
   */
  SortedSet<QuotaCell> compared(RunningJob victim) {
    return gpusOf(reclaimedFor(victim));
  }

  /** Cells in which the shares of queues are compared. */
  SortedSet<QuotaCell> compared() {
    return gpusOf(lacking);
  }

  private SortedSet<QuotaCell> gpusOf(SortedSet<QuotaCell> cells) {
    return cells.stream().anyMatch(cell -> cell.resource().equals(ResourceNames.GPU))
        ? scarce(cells)
        : new TreeSet<>(asks.keySet());
  }

  private boolean outranksOther(RunningJob job) {
    return switch (rules.reclaim()) {
      case NEVER -> false;
      case LOWER_PRIORITY -> job.priority() < priority;
      case ANY -> true;
    };
  }

  /**
   * Whether its rules allow a job as a victim at all, whatever cells are lacking and whichever
   * queue borrows.
   */
  boolean mayEver(RunningJob job) {
    return job.queue().equals(queue) ? outranksOwn(job) : outranksOther(job);
  }

  /**
   * The rights by which it may take a job, whatever cells are lacking and whichever queue borrows.
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

  /** Of cells those that victims have to free when nodes are short: of GPUs, if there are any. */
  static SortedSet<QuotaCell> scarce(SortedSet<QuotaCell> cells) {
    SortedSet<QuotaCell> gpus = new TreeSet<>(cells);
    gpus.removeIf(cell -> !cell.resource().equals(ResourceNames.GPU));
    return gpus.isEmpty() ? cells : gpus;
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
