package dev.fairlead.placement;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.placement.ledger.Refusals;
import dev.fairlead.placement.ordering.KnownShapes;
import java.util.Collections;
import java.util.SortedMap;

/**
 * What one cycle worked out that holds in the next as well, as far as its rows are the same. It
 * makes planning faster and changes no plan. For one planner that plans one snapshot after another;
 * not for several threads.
 */
public final class Memory {
  private KnownShapes shapes = KnownShapes.NONE;
  private SortedMap<ClusterId, Refusals> refusals = Collections.emptySortedMap();

  KnownShapes shapes() {
    return shapes;
  }

  SortedMap<ClusterId, Refusals> refusals() {
    return refusals;
  }

  void keep(KnownShapes knownShapes, SortedMap<ClusterId, Refusals> knownRefusals) {
    shapes = knownShapes;
    refusals = knownRefusals;
  }
}
