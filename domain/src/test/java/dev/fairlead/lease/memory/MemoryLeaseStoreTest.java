package dev.fairlead.lease.memory;

import dev.fairlead.lease.LeaseStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryLeaseStoreTest extends LeaseStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
