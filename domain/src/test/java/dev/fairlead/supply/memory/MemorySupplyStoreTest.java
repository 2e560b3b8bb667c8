package dev.fairlead.supply.memory;

import dev.fairlead.supply.SupplyStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemorySupplyStoreTest extends SupplyStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
