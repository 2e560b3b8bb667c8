package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Saturating;

/**
 * What a node of the tree counts as used of a cell, in base units.
 *
 * @param used its own use and what its children take beyond their own
 * @param nonPreemptible what jobs that are never evicted use of the nominal quota of the node
 *     itself
 */
public record QuotaUse(QuotaNodeId node, QuotaCell cell, long used, long nonPreemptible) {
  /** Of jobs that may be evicted. */
  public QuotaUse(QuotaNodeId node, QuotaCell cell, long used) {
    this(node, cell, used, 0);
  }

  /** What is held by rows of members, which name slices by their resource, as quota counts it. */
  public QuotaUse counted() {
    return new QuotaUse(
        node,
        cell.counted(),
        Saturating.times(cell.each(), used),
        Saturating.times(cell.each(), nonPreemptible));
  }
}
