package dev.fairlead.work.output.memory;

import dev.fairlead.work.output.OutputStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryOutputStoreTest extends OutputStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}
