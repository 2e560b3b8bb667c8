package dev.fairlead.kernel.config.memory;

import dev.fairlead.kernel.config.ConfigStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryConfigStoreTest extends ConfigStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
