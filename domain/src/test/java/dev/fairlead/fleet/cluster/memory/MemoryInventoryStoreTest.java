package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.cluster.InventoryStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryInventoryStoreTest extends InventoryStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
