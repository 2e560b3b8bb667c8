package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.repair.RepairStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryRepairStoreTest extends RepairStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
