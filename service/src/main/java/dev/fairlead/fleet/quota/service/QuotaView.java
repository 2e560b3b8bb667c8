package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A quota node with its use.
 *
 * @param parent name of the parent, null at a root
 */
public record QuotaView(QuotaNode node, @Nullable String parent, List<Usage> usage) {
  /**
   * Use of one cell in base units.
   *
   * @param nonPreemptible used of the node's own nominal quota by jobs that are never evicted
   * @param borrowed used beyond the subtree's quota
   * @param lent part of the subtree's quota that others use
   * @param pending request of the waiting jobs of the subtree, as of the last scheduling pass
   * @param nominal current limit of the node, null if none
   */
  public record Usage(
      QuotaCell cell,
      long used,
      long nonPreemptible,
      long borrowed,
      long lent,
      long pending,
      @Nullable Long nominal) {}

  public QuotaView {
    usage = List.copyOf(usage);
  }

  /** Returns the view for a caller that may see only some projects. */
  QuotaView shown(Predicate<String> projects) {
    QueueSettings queue = node.queue();
    return queue == null ? this : new QuotaView(node.of(queue.shown(projects)), parent, usage);
  }
}
