package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.pool.PoolId;
import java.util.SortedMap;

/** Finds the nodes that waiting jobs need and that provisioners could add. */
public interface NodeDemand {
  /** Returns the number of nodes to request now, by pool. Costs as much as planning. */
  SortedMap<PoolId, Integer> now();
}
