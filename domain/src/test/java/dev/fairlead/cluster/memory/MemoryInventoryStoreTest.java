package dev.fairlead.cluster.memory;

import dev.fairlead.cluster.InventoryStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryInventoryStoreTest extends InventoryStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
