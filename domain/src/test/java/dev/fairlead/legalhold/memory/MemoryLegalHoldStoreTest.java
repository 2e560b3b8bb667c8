package dev.fairlead.legalhold.memory;

import dev.fairlead.legalhold.LegalHoldStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryLegalHoldStoreTest extends LegalHoldStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
