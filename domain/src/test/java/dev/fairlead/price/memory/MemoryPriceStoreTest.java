package dev.fairlead.price.memory;

import dev.fairlead.price.PriceStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryPriceStoreTest extends PriceStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
