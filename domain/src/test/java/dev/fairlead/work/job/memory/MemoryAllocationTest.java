package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.AllocationContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryAllocationTest extends AllocationContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
