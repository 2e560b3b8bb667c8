package dev.fairlead.projectsecret.memory;

import dev.fairlead.projectsecret.ProjectSecretStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryProjectSecretStoreTest extends ProjectSecretStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
