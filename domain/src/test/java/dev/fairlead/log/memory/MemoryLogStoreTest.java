package dev.fairlead.log.memory;

import dev.fairlead.log.LogStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryLogStoreTest extends LogStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
