package dev.fairlead.people.secret.memory;

import dev.fairlead.people.secret.ProjectSecretStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryProjectSecretStoreTest extends ProjectSecretStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
