package dev.fairlead.work.log.memory;

import dev.fairlead.work.log.LogStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryLogStoreTest extends LogStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
