package dev.fairlead.care.healthtest.memory;

import dev.fairlead.care.healthtest.HealthTestStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryHealthTestStoreTest extends HealthTestStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
