package dev.fairlead.limit.memory;

import dev.fairlead.limit.LimitStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryLimitStoreTest extends LimitStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
