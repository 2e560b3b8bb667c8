package dev.fairlead.money.price.memory;

import dev.fairlead.money.price.PriceStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryPriceStoreTest extends PriceStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
