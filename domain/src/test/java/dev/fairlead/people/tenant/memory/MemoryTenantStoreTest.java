package dev.fairlead.people.tenant.memory;

import dev.fairlead.people.tenant.TenantStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryTenantStoreTest extends TenantStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
