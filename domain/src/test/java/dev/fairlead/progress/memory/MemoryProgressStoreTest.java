package dev.fairlead.progress.memory;

import dev.fairlead.progress.ProgressStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryProgressStoreTest extends ProgressStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
