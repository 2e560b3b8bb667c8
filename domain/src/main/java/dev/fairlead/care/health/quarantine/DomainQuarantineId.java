package dev.fairlead.care.health.quarantine;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record DomainQuarantineId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.DOMAIN_QUARANTINE;
  }
}
