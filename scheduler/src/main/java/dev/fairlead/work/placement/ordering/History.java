package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.job.estimate.UseHistory;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Past use as an average number of GPUs, in which older use counts less ({@link PastUse}). Groups
 * with a half-life have one average for each child, and queues with a half-life one for each user.
 * Values are integer thousandths of GPUs, so the order of summation does not matter.
 */
public final class History {
  private final SortedMap<QuotaNodeId, Long> ofChild = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<String, Long>> ofUser = new TreeMap<>();

  /** Computes the history from ended and running attempts. */
  public History(
      QuotaTree tree, Collection<PastUse> past, Collection<World.LiveAttempt> live, Instant asOf) {
    if (tree.nodes().stream().allMatch(node -> node.usageHalfLife() == null)) {
      return;
    }
    for (PastUse use : past) {
      QuotaNode node = tree.node(use.node()).orElse(null);
      Duration halfLife = node == null ? null : node.usageHalfLife();
      if (halfLife != null) {
        add(tree, use.node(), use.queue(), use.user(), use.averageMilli(halfLife, asOf));
      }
    }
    for (World.LiveAttempt each : live) {
      Instant since = each.attempt().startedAt();
      if (since != null) {
        running(tree, each, since, asOf);
      }
    }
  }

  private void running(QuotaTree tree, World.LiveAttempt live, Instant since, Instant asOf) {
    for (QuotaNode node : tree.path(live.job().queue())) {
      Duration halfLife = node.usageHalfLife();
      if (halfLife != null) {
        long milli =
            UseHistory.Span.of(live.attempt(), since).stream()
                .mapToLong(span -> span.averageMilli(halfLife, asOf))
                .sum();
        add(tree, node.id(), live.job().queue(), live.job().user(), milli);
      }
    }
  }

  private void add(QuotaTree tree, QuotaNodeId at, QuotaNodeId queue, String user, long milli) {
    if (at.equals(queue)) {
      ofUser.computeIfAbsent(queue, q -> new TreeMap<>()).merge(user, milli, Long::sum);
      return;
    }
    for (QuotaNode node : tree.path(queue)) {
      if (at.equals(node.parent())) {
        ofChild.merge(node.id(), milli, Long::sum);
      }
    }
  }

  /** Returns the use of everything below a child of a group, 0 if the group weighs no history. */
  long of(QuotaNodeId child) {
    return ofChild.getOrDefault(child, 0L);
  }

  /** Returns the use by user, empty if the queue weighs no history. */
  SortedMap<String, Long> users(QuotaNodeId queue) {
    return Collections.unmodifiableSortedMap(
        ofUser.getOrDefault(queue, Collections.emptySortedMap()));
  }
}
