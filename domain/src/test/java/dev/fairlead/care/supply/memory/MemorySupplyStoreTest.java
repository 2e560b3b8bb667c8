package dev.fairlead.care.supply.memory;

import dev.fairlead.care.supply.SupplyStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemorySupplyStoreTest extends SupplyStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
