package dev.fairlead.job.memory;

import dev.fairlead.job.JobListContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryJobListTest extends JobListContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
