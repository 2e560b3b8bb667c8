package dev.fairlead.work.workdir.memory;

import dev.fairlead.work.workdir.WorkdirStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryWorkdirStoreTest extends WorkdirStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
