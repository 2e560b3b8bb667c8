package dev.fairlead.placement.ordering;

import dev.fairlead.placement.admission.Charges;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.Saturating;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Weighted dominant share of a queue: the largest, over resources, of what it borrows in
 * thousandths of what its parent could lend, divided by its weight (the share of Kueue's fair
 * sharing). A queue of weight zero comes last.
 */
final class WeightedShare {
  static final long LAST = Long.MAX_VALUE;
  private static final long MILLI = 1000;

  private final QuotaTree tree;

  WeightedShare(QuotaTree tree) {
    this.tree = tree;
  }

  /** Whether the queue would use more than its own quota of some cell. */
  boolean borrows(QuotaNode queue, Charges more) {
    return more.cells().entrySet().stream()
        .anyMatch(e ->
            Saturating.plus(tree.used(queue.id(), e.getKey()), e.getValue())
                > tree.subtreeQuota(queue.id(), e.getKey()));
  }

  /** Share after admission of the charges, 0 or more; {@link #LAST} for weight zero. */
  long after(QuotaNode queue, Charges more) {
    if (queue.weight() <= 0) {
      return LAST;
    }
    SortedMap<String, Long> borrowed = new TreeMap<>();
    SortedMap<String, Long> lendable = new TreeMap<>();
    for (QuotaCell cell : cells(queue, more)) {
      long used = Saturating.plus(tree.used(queue.id(), cell), more.cells().getOrDefault(cell, 0L));
      long over = Math.max(0, Saturating.minus(used, tree.subtreeQuota(queue.id(), cell)));
      borrowed.merge(cell.resource(), over, Saturating::plus);
      long there = queue.parent() == null ? 0 : tree.subtreeQuota(queue.parent(), cell);
      lendable.merge(cell.resource(), there, Saturating::plus);
    }
    long dominant = 0;
    for (String resource : borrowed.keySet()) {
      long over = Saturating.times(borrowed.getOrDefault(resource, 0L), MILLI);
      long ratio = over / Math.max(1, lendable.getOrDefault(resource, 0L));
      dominant = Math.max(dominant, ratio);
    }
    return Saturating.times(dominant, MILLI) / queue.weight();
  }

  private SortedSet<QuotaCell> cells(QuotaNode queue, Charges more) {
    SortedSet<QuotaCell> cells = new TreeSet<>(more.cells().keySet());
    for (QuotaNode node : tree.path(queue.id())) {
      for (QuotaLimit limit : node.limits()) {
        cells.add(new QuotaCell(limit.flavor(), limit.resource()));
      }
    }
    return cells;
  }
}
