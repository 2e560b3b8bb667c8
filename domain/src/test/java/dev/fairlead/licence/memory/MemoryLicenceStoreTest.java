package dev.fairlead.licence.memory;

import dev.fairlead.licence.LicenceStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryLicenceStoreTest extends LicenceStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
