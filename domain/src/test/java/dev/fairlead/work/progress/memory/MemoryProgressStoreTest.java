package dev.fairlead.work.progress.memory;

import dev.fairlead.work.progress.ProgressStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryProgressStoreTest extends ProgressStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
