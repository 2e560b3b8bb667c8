package dev.fairlead.job.memory;

import dev.fairlead.job.ResizeContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryResizeTest extends ResizeContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
