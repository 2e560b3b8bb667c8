package dev.fairlead.token.memory;

import dev.fairlead.token.TokenStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryTokenStoreTest extends TokenStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
