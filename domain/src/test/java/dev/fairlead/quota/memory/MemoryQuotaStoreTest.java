package dev.fairlead.quota.memory;

import dev.fairlead.quota.QuotaStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryQuotaStoreTest extends QuotaStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
