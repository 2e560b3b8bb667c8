package dev.fairlead.care.reservation.memory;

import dev.fairlead.care.reservation.AdvanceReservationStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryAdvanceReservationStoreTest extends AdvanceReservationStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
