package dev.fairlead.health;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record QuarantineId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.QUARANTINE;
  }
}
