package dev.fairlead.health.memory;

import dev.fairlead.health.DeviceStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryDeviceStoreTest extends DeviceStoreContract {
  private final MemoryStores stores = MemoryStores.empty(291);

  @Override
  protected Stores stores() {
    return stores;
  }
}
