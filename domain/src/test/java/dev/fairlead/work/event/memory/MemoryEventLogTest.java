package dev.fairlead.work.event.memory;

import dev.fairlead.work.event.EventLogContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryEventLogTest extends EventLogContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
