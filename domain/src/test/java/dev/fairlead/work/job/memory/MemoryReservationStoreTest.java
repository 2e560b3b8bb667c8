package dev.fairlead.work.job.memory;

import dev.fairlead.work.attempt.ReservationStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryReservationStoreTest extends ReservationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
