package dev.fairlead.booking;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

/** Names a booking. */
public record BookingId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.BOOKING;
  }
}
