package dev.fairlead.work.serving.memory;

import dev.fairlead.work.serving.ServingStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryServingStoreTest extends ServingStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
