package dev.fairlead.tenant;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record ProjectId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.PROJECT;
  }
}
