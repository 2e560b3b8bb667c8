package dev.fairlead.people.legalhold.memory;

import dev.fairlead.people.legalhold.LegalHoldStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryLegalHoldStoreTest extends LegalHoldStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
