package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.device.DeviceStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryDeviceStoreTest extends DeviceStoreContract {
  private final MemoryStores stores = MemoryStores.empty(291);

  @Override
  protected Stores stores() {
    return stores;
  }
}
