package dev.fairlead.world.memory;

import dev.fairlead.world.Stores;
import dev.fairlead.world.WorldReaderContract;

class MemoryWorldReaderTest extends WorldReaderContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
