package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Order of the queues to evict from, highest share first, decided level by level from the root. A
 * node that borrows nothing is skipped, except on the preemptor's own path.
 */
final class FairOrder {
  private final QuotaSimulation simulation;
  private final QuotaTree tree;
  private final GroupShares shares;
  private final SortedSet<QuotaCell> compared;
  private final List<QuotaNodeId> ownPath;
  private final Comparator<RunningJob> cheapest;
  private final SortedMap<QuotaNodeId, Deque<RunningJob>> candidates = new TreeMap<>();
  private final SortedSet<QuotaNodeId> done = new TreeSet<>();

  FairOrder(
      QuotaSimulation simulation,
      GroupShares shares,
      Preemptor preemptor,
      Collection<RunningJob> jobs) {
    this.simulation = simulation;
    tree = simulation.tree();
    this.shares = shares;
    compared = preemptor.compared();
    ownPath = tree.path(preemptor.queue()).stream().map(QuotaNode::id).toList();
    cheapest = RunningJob.cheapestFirst(preemptor.queue());
    for (RunningJob job : QuotaSimulation.sorted(jobs, preemptor)) {
      candidates.computeIfAbsent(job.queue(), q -> new ArrayDeque<>()).add(job);
    }
  }

  /** Returns the next queue to evict from, null if none is left. */
  @Nullable QuotaNodeId next() {
    QuotaNodeId root = ownPath.getLast();
    if (ownPath.size() == 1) {
      return jobs(root).isEmpty() || done.contains(root) ? null : root;
    }
    while (!done.contains(root)) {
      QuotaNodeId next = next(root);
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  /** Returns the queue's remaining candidates, cheapest first. */
  Deque<RunningJob> jobs(QuotaNodeId queue) {
    return candidates.computeIfAbsent(queue, q -> new ArrayDeque<>());
  }

  void drop(QuotaNodeId queue) {
    done.add(queue);
  }

  private @Nullable QuotaNodeId next(QuotaNodeId group) {
    QuotaNode bestQueue = null;
    QuotaNode bestGroup = null;
    for (QuotaNode child : children(group)) {
      if (passedOver(child)) {
        done.add(child.id());
      } else if (child.isQueue()) {
        bestQueue = better(child, bestQueue) ? child : bestQueue;
      } else if (bestGroup == null || share(child).compareTo(share(bestGroup)) >= 0) {
        bestGroup = child;
      }
    }
    if (bestQueue == null && bestGroup == null) {
      done.add(group);
      return null;
    }
    boolean queueFirst =
        bestGroup == null || bestQueue != null && share(bestQueue).compareTo(share(bestGroup)) > 0;
    return queueFirst && bestQueue != null
        ? bestQueue.id()
        : bestGroup == null ? null : next(bestGroup.id());
  }

  private List<QuotaNode> children(QuotaNodeId group) {
    return tree.nodes().stream()
        .filter(n -> group.equals(n.parent()) && !done.contains(n.id()))
        .toList();
  }

  private boolean passedOver(QuotaNode node) {
    boolean lacksJobs = node.isQueue() && jobs(node.id()).isEmpty();
    return lacksJobs
        || !ownPath.contains(node.id())
            && !shares.above(node, compared)
            && simulation.withinQuota(node.id());
  }

  private boolean better(QuotaNode node, @Nullable QuotaNode best) {
    if (best == null) {
      return true;
    }
    int byShare = share(node).compareTo(share(best));
    return byShare > 0
        || byShare == 0
            && cheapest.compare(jobs(node.id()).getFirst(), jobs(best.id()).getFirst()) < 0;
  }

  private Share share(QuotaNode node) {
    return shares.of(node, compared);
  }
}
