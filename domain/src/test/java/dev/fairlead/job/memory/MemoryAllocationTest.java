package dev.fairlead.job.memory;

import dev.fairlead.job.AllocationContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryAllocationTest extends AllocationContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
