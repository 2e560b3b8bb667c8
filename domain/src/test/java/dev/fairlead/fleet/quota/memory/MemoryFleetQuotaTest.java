package dev.fairlead.fleet.quota.memory;

import dev.fairlead.fleet.quota.FleetQuotaContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryFleetQuotaTest extends FleetQuotaContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
