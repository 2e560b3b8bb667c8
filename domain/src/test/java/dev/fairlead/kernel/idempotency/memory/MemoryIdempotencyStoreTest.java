package dev.fairlead.kernel.idempotency.memory;

import dev.fairlead.kernel.idempotency.IdempotencyStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryIdempotencyStoreTest extends IdempotencyStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
