package dev.fairlead.workload;

import dev.fairlead.cluster.NodeReport;
import java.util.List;

/**
 * The nodes of a cluster now.
 *
 * @param revision equal revisions mean equal nodes
 */
public record InventoryView(long revision, List<NodeReport> nodes) {
  public InventoryView {
    nodes = List.copyOf(nodes);
  }
}
