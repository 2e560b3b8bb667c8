package dev.fairlead.work.event.memory;

import dev.fairlead.work.event.FleetEventsContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryFleetEventsTest extends FleetEventsContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
