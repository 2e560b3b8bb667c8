package dev.fairlead.tenant.memory;

import dev.fairlead.tenant.NamespaceRemovalStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryNamespaceRemovalStoreTest extends NamespaceRemovalStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
