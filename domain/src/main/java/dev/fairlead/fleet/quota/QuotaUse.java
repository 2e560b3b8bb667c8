package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Saturating;

/**
 * Use of a cell at a node of the tree, in base units.
 *
 * @param used its own use, and the use of its children beyond their own part
 * @param nonPreemptible use of the node's own nominal quota by jobs that are never evicted
 */
public record QuotaUse(QuotaNodeId node, QuotaCell cell, long used, long nonPreemptible) {
  /** Creates the use of preemptible jobs. */
  public QuotaUse(QuotaNodeId node, QuotaCell cell, long used) {
    this(node, cell, used, 0);
  }

  /**
   * Converts the use in member rows, which name slices by their resource, to the cells of quota.
   */
  public QuotaUse counted() {
    return new QuotaUse(
        node,
        cell.counted(),
        Saturating.times(cell.each(), used),
        Saturating.times(cell.each(), nonPreemptible));
  }
}
