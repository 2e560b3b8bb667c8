package dev.fairlead.care.booking.memory;

import dev.fairlead.care.booking.BookingStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryBookingStoreTest extends BookingStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
