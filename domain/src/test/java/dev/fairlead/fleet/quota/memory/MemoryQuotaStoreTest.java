package dev.fairlead.fleet.quota.memory;

import dev.fairlead.fleet.quota.QuotaStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryQuotaStoreTest extends QuotaStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
