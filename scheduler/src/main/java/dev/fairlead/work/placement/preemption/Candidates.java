package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.placement.routing.Subtrees;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Candidates for preemption without fair sharing. It evaluates subtrees from the preemptor's queue
 * upwards: if a subtree's own quota covers the job, borrowers outside use quota of that subtree and
 * must return it.
 */
final class Candidates {
  /**
   * A job that may be evicted.
   *
   * @param above smallest subtree with both the job and the preemptor
   * @param owned whether the preemptor's side owns the quota that the job uses
   */
  record Candidate(RunningJob job, QuotaNodeId above, boolean owned, boolean evenBorrowing) {}

  private final QuotaTree tree;
  private final QuotaSimulation simulation;
  private final Preemptor preemptor;
  private final List<Candidate> own = new ArrayList<>();
  private final List<Candidate> reclaimed = new ArrayList<>();
  private final List<Candidate> outranked = new ArrayList<>();

  Candidates(
      QuotaTree tree,
      QuotaSimulation simulation,
      Preemptor preemptor,
      Collection<RunningJob> running) {
    this.tree = tree;
    this.simulation = simulation;
    this.preemptor = preemptor;
    for (RunningJob job : running) {
      if (job.queue().equals(preemptor.queue()) && preemptor.mayEvictOwn(job)) {
        own.add(new Candidate(job, job.queue(), false, true));
      }
    }
    if (preemptor.rules().reclaim() != PreemptionRules.Reclaim.NEVER
        || running.stream().anyMatch(job -> Preemptor.idle(job.priority()))) {
      others(running);
    }
  }

  boolean onlyOwn() {
    return reclaimed.isEmpty() && outranked.isEmpty();
  }

  boolean noneReclaimed() {
    return reclaimed.isEmpty();
  }

  /**
   * Returns all candidates, cheapest first within each right. Leaving jobs precede others, then
   * members of warm pools.
   */
  List<Candidate> inOrder() {
    List<Candidate> all = new ArrayList<>();
    for (List<Candidate> right : List.of(reclaimed, outranked, own)) {
      right.stream()
          .sorted(Comparator.comparing(Candidate::job, RunningJob.cheapestFirst(preemptor.queue())))
          .forEach(all::add);
    }
    all.sort(Comparator.comparingInt(candidate -> group(candidate.job())));
    return all;
  }

  private static int group(RunningJob job) {
    return job.leaving() ? 0 : Preemptor.idle(job.priority()) ? 1 : 2;
  }

  private void others(Collection<RunningJob> running) {
    List<QuotaNode> path = tree.path(preemptor.queue());
    SortedMap<QuotaCell, Long> rest = new TreeMap<>(preemptor.asks());
    boolean owned = holds(preemptor.queue(), rest);
    for (int level = 1; level < path.size(); level++) {
      QuotaNodeId above = path.get(level).id();
      for (RunningJob job : running) {
        if (meetsAt(job, above, path.get(level - 1).id()) && preemptor.mayReclaim(job)) {
          boolean low = preemptor.mayEvictWhileBorrowing(job);
          (owned ? reclaimed : outranked).add(new Candidate(job, above, owned, owned || low));
        }
      }
      owned |= holds(above, rest);
    }
  }

  /**
   * Returns whether the paths of the job and the preemptor meet at this node, and every node below
   * it on the job's path borrows.
   */
  private boolean meetsAt(RunningJob job, QuotaNodeId above, QuotaNodeId below) {
    List<QuotaNodeId> way = tree.path(job.queue()).stream().map(QuotaNode::id).toList();
    int meets = way.indexOf(above);
    return meets >= 0
        && !way.contains(below)
        && way.subList(0, meets).stream().noneMatch(node -> simulation.owns(node, job));
  }

  /**
   * Returns whether the node's own quota covers the rest, and subtracts the quota that the node
   * does not lend.
   */
  private boolean holds(QuotaNodeId node, SortedMap<QuotaCell, Long> rest) {
    Subtrees subtrees = new Subtrees(tree);
    boolean holds =
        rest.entrySet().stream().noneMatch(e -> subtrees.borrows(node, e.getKey(), e.getValue()));
    rest.replaceAll(
        (cell, amount) -> Math.max(0, Saturating.minus(amount, subtrees.ownRoom(node, cell))));
    return holds;
  }
}
