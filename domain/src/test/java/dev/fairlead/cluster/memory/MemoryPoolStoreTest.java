package dev.fairlead.cluster.memory;

import dev.fairlead.node.PoolStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryPoolStoreTest extends PoolStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
