package dev.fairlead.work.world.memory;

import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.WorldReaderContract;

class MemoryWorldReaderTest extends WorldReaderContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
