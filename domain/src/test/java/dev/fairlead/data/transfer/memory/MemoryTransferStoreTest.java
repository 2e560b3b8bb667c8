package dev.fairlead.data.transfer.memory;

import dev.fairlead.data.transfer.TransferStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryTransferStoreTest extends TransferStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
