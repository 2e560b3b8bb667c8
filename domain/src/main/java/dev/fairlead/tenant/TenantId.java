package dev.fairlead.tenant;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record TenantId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.TENANT;
  }
}
