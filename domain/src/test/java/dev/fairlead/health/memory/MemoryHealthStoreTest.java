package dev.fairlead.health.memory;

import dev.fairlead.health.HealthStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryHealthStoreTest extends HealthStoreContract {
  private final MemoryStores stores = MemoryStores.empty(290);

  @Override
  protected Stores stores() {
    return stores;
  }
}
