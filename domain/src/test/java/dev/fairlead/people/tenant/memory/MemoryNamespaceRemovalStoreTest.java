package dev.fairlead.people.tenant.memory;

import dev.fairlead.people.tenant.NamespaceRemovalStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryNamespaceRemovalStoreTest extends NamespaceRemovalStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
