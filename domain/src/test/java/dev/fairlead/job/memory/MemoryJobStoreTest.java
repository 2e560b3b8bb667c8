package dev.fairlead.job.memory;

import dev.fairlead.job.JobStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryJobStoreTest extends JobStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
