package dev.fairlead.care.health.repair;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Id of a repair. Its text is the key of requests for its steps. */
public record RepairId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.REPAIR;
  }
}
