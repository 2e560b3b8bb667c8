package dev.fairlead.work.schedule.memory;

import dev.fairlead.work.schedule.ScheduleStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryScheduleStoreTest extends ScheduleStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
