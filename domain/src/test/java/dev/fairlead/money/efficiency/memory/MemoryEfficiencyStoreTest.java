package dev.fairlead.money.efficiency.memory;

import dev.fairlead.money.efficiency.EfficiencyStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryEfficiencyStoreTest extends EfficiencyStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
