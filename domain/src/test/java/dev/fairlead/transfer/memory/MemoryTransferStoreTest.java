package dev.fairlead.transfer.memory;

import dev.fairlead.transfer.TransferStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryTransferStoreTest extends TransferStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
