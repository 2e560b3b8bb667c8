package dev.fairlead.kernel.lease.memory;

import dev.fairlead.kernel.lease.LeaseStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryLeaseStoreTest extends LeaseStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
