package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.store.JobStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryJobStoreTest extends JobStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
