package dev.fairlead.people.token.memory;

import dev.fairlead.people.token.TokenStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryTokenStoreTest extends TokenStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
