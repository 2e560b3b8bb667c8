package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.AllocationRaceContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryAllocationRaceTest extends AllocationRaceContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
