package dev.fairlead.job.memory;

import dev.fairlead.job.AllocationRaceContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryAllocationRaceTest extends AllocationRaceContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
