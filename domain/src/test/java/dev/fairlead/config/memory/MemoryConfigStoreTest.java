package dev.fairlead.config.memory;

import dev.fairlead.config.ConfigStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryConfigStoreTest extends ConfigStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
