package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.JobListContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryJobListTest extends JobListContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
