package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.cluster.ClusterStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryClusterStoreTest extends ClusterStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
