package dev.fairlead.tenant.memory;

import dev.fairlead.tenant.TenantStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryTenantStoreTest extends TenantStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
