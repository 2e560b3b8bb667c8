package dev.fairlead.work.workload;

import dev.fairlead.fleet.node.NodeReport;
import java.util.List;

/**
 * The nodes of a cluster now.
 *
 * @param revision equal revisions of one gateway mean equal nodes, a lower one an older view. The
 *     first view of a gateway is not older than its opening
 */
public record InventoryView(long revision, List<NodeReport> nodes) {
  public InventoryView {
    nodes = List.copyOf(nodes);
  }
}
