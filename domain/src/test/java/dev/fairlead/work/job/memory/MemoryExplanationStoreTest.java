package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.store.ExplanationStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryExplanationStoreTest extends ExplanationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
