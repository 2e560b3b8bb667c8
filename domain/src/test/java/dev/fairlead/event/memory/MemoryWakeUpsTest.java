package dev.fairlead.event.memory;

import dev.fairlead.event.WakeUpsContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryWakeUpsTest extends WakeUpsContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
