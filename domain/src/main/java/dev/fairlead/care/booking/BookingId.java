package dev.fairlead.care.booking;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names a booking. */
public record BookingId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.BOOKING;
  }
}
