package dev.fairlead.work.event.memory;

import dev.fairlead.work.event.WakeUpsContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryWakeUpsTest extends WakeUpsContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
