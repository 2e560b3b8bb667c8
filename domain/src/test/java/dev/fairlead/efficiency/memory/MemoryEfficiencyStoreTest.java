package dev.fairlead.efficiency.memory;

import dev.fairlead.efficiency.EfficiencyStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryEfficiencyStoreTest extends EfficiencyStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
