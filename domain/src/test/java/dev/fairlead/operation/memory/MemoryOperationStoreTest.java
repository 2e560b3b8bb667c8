package dev.fairlead.operation.memory;

import dev.fairlead.operation.OperationStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryOperationStoreTest extends OperationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
