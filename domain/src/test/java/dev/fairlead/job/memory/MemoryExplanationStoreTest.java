package dev.fairlead.job.memory;

import dev.fairlead.job.ExplanationStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryExplanationStoreTest extends ExplanationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
