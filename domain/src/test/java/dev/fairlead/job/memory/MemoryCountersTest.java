package dev.fairlead.job.memory;

import dev.fairlead.quota.CountersContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryCountersTest extends CountersContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
