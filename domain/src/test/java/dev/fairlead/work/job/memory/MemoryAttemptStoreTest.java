package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.AttemptStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryAttemptStoreTest extends AttemptStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
