package dev.fairlead.healthtest.memory;

import dev.fairlead.healthtest.HealthTestStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryHealthTestStoreTest extends HealthTestStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
