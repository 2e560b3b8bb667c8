package dev.fairlead.event.memory;

import dev.fairlead.event.EventLogContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryEventLogTest extends EventLogContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
