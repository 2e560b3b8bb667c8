package dev.fairlead.explanation.memory;

import dev.fairlead.explanation.ExplanationStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryExplanationStoreTest extends ExplanationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
