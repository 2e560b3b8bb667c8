package dev.fairlead.idempotency.memory;

import dev.fairlead.idempotency.IdempotencyStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryIdempotencyStoreTest extends IdempotencyStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
