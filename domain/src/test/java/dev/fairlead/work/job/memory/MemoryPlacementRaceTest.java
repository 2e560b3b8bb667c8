package dev.fairlead.work.job.memory;

import dev.fairlead.figures.Figure;
import dev.fairlead.work.job.PlacementRaceContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryPlacementRaceTest extends PlacementRaceContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }

  /** More would not fit into the memory of a test. */
  @Override
  protected int placements() {
    return Figure.times(4_000, 20_000);
  }
}
