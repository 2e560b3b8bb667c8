package dev.fairlead.transaction.memory;

import dev.fairlead.transaction.TransactionsContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryTransactionsTest extends TransactionsContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
