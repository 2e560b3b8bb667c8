package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.quota.CountersContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryCountersTest extends CountersContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
