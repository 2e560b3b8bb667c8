package dev.fairlead.care.health.quarantine;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record QuarantineId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.QUARANTINE;
  }
}
