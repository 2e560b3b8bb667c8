package dev.fairlead.health;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record DomainQuarantineId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.DOMAIN_QUARANTINE;
  }
}
