package dev.fairlead.job.memory;

import dev.fairlead.attempt.ReservationStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryReservationStoreTest extends ReservationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
