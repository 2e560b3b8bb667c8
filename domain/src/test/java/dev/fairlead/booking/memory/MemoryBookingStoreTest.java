package dev.fairlead.booking.memory;

import dev.fairlead.booking.BookingStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryBookingStoreTest extends BookingStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
