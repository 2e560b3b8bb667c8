package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.node.pool.PoolStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryPoolStoreTest extends PoolStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
