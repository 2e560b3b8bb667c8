package dev.fairlead.work.placement.service;

import dev.fairlead.care.supply.NodeDemand;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.work.placement.supply.SuppliedPlan;
import dev.fairlead.work.world.WorldReader;
import java.util.Collections;
import java.util.SortedMap;
import org.springframework.stereotype.Component;

/**
 * Runs the engine without writes on the whole snapshot with the nodes that provisioners could add.
 * Reads nothing while no job waits.
 */
@Component
public class EngineNodeDemand implements NodeDemand {
  /** A quarter of a scheduler's cycle. */
  private static final long WORK_BUDGET = 5_000_000;

  private final WorldReader worlds;

  public EngineNodeDemand(WorldReader worlds) {
    this.worlds = worlds;
  }

  @Override
  public SortedMap<PoolId, Integer> now() {
    if (!worlds.anyWaits()) {
      return Collections.emptySortedMap();
    }
    return SuppliedPlan.wanted(worlds.read(), WORK_BUDGET);
  }
}
