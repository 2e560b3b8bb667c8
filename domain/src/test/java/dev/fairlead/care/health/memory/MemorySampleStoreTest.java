package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.dcgm.SampleStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemorySampleStoreTest extends SampleStoreContract {
  private final MemoryStores stores = MemoryStores.empty(345);

  @Override
  protected Stores stores() {
    return stores;
  }
}
