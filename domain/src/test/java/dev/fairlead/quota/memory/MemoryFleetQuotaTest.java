package dev.fairlead.quota.memory;

import dev.fairlead.quota.FleetQuotaContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryFleetQuotaTest extends FleetQuotaContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
