package dev.fairlead.kernel.transaction.memory;

import dev.fairlead.kernel.transaction.TransactionsContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryTransactionsTest extends TransactionsContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
