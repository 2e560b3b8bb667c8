package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.PoolId;
import java.util.SortedMap;

/** Which nodes jobs wait for that suppliers could add. */
public interface NodeDemand {
  /** How many more to ask for now, by pool. Costs as much as planning. */
  SortedMap<PoolId, Integer> now();
}
