package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.estimate.PreemptionRisk.QueueRisk;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PriorityClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds which jobs may preempt a job, by the same rules as the victim search. */
public final class PreemptionRisks {
  private static final double EARLIER = -1;
  private static final double LATER = 1;

  private final QuotaTree tree;
  private final RunningJob job;

  private PreemptionRisks(QuotaTree tree, RunningJob job) {
    this.tree = tree;
    this.job = job;
  }

  /**
   * Returns the risk of a job.
   *
   * @param tree including the use of the job
   * @param use current or expected use, base units by cell, empty if unknown
   */
  public static PreemptionRisk of(QuotaTree tree, Job job, SortedMap<QuotaCell, Long> use) {
    JobSpec.PreemptionSpec rules = job.spec().preemption();
    String key = job.id().text();
    double created = PreemptionUnit.seconds(job.createdAt());
    RunningJob victim =
        RunningJobBuilder.builder()
            .key(key)
            .gang(key)
            .queue(job.queue())
            .priority(job.priority())
            .lost(0)
            .created(created)
            .leaving(false)
            .use(use)
            .build();
    return new PreemptionRisk(
        rules.allowed(),
        rules.minRuntime(),
        rules.allowed() ? new PreemptionRisks(tree, victim).all() : List.of(),
        List.of());
  }

  private List<QueueRisk> all() {
    List<QueueRisk> all = new ArrayList<>();
    for (QuotaNode queue : tree.nodes()) {
      if (queue.isQueue() && tree.root(queue.id()).equals(tree.root(job.queue()))) {
        all.addAll(of(queue));
      }
    }
    all.sort(Comparator.comparing(QueueRisk::queue).thenComparing(QueueRisk::right));
    return all;
  }

  private List<QueueRisk> of(QuotaNode queue) {
    SortedMap<EvictionRight, QueueRisk> lowest = new TreeMap<>();
    for (PriorityClass priority : PriorityClass.values()) {
      for (EvictionRight right : rights(queue, priority, LATER)) {
        lowest.putIfAbsent(right, entry(queue, right, priority, false));
      }
      for (EvictionRight right : rights(queue, priority, EARLIER)) {
        lowest.putIfAbsent(right, entry(queue, right, priority, true));
      }
    }
    return List.copyOf(lowest.values());
  }

  private List<EvictionRight> rights(QuotaNode queue, PriorityClass priority, double submitted) {
    boolean byShares = Evictions.byShares(tree, queue.id(), queue.preemption());
    return preemptor(queue, priority.value(), submitted).rights(job, byShares).stream()
        .filter(right -> right != EvictionRight.RECLAIM || owns(queue))
        .toList();
  }

  /**
   * Returns whether the side of the queue has quota to reclaim: the queue itself, or a group below
   * the common ancestor.
   */
  private boolean owns(QuotaNode queue) {
    List<QuotaNodeId> way = tree.path(job.queue()).stream().map(QuotaNode::id).toList();
    return job.use().isEmpty()
        || tree.path(queue.id()).stream()
            .map(QuotaNode::id)
            .takeWhile(id -> !way.contains(id))
            .anyMatch(id -> cells().stream().anyMatch(cell -> tree.subtreeQuota(id, cell) > 0));
  }

  private SortedSet<QuotaCell> cells() {
    return Preemptor.scarce(new TreeSet<>(job.use().keySet()));
  }

  private QueueRisk entry(
      QuotaNode queue, EvictionRight right, PriorityClass priority, boolean earlierOnly) {
    return new QueueRisk(queue.name(), right, priority.value(), earlierOnly, now(queue));
  }

  private @Nullable Boolean now(QuotaNode queue) {
    Preemptor any = preemptor(queue, job.priority(), LATER);
    return job.use().isEmpty()
        ? null
        : !new QuotaSimulation(tree, any, FreedCapacity.ENOUGH).keeps(job);
  }

  /** Returns a preemptor that lacks the cells that the job uses. */
  private Preemptor preemptor(QuotaNode queue, int priority, double submitted) {
    return new Preemptor(
        queue.id(),
        priority,
        job.created() + submitted,
        new TreeMap<>(),
        cells(),
        queue.preemption());
  }
}
