package dev.fairlead.care.reservation;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names an advance reservation. */
public record AdvanceReservationId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.ADVANCE_RESERVATION;
  }
}
