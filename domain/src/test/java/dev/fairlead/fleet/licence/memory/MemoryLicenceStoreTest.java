package dev.fairlead.fleet.licence.memory;

import dev.fairlead.fleet.licence.LicenceStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryLicenceStoreTest extends LicenceStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
