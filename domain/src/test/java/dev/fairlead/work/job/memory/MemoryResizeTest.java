package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.ResizeContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryResizeTest extends ResizeContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
