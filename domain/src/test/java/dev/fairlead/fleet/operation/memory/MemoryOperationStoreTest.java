package dev.fairlead.fleet.operation.memory;

import dev.fairlead.fleet.operation.OperationStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryOperationStoreTest extends OperationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
