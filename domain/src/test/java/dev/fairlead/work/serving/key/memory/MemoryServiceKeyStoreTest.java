package dev.fairlead.work.serving.key.memory;

import dev.fairlead.work.serving.key.ServiceKeyStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryServiceKeyStoreTest extends ServiceKeyStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
