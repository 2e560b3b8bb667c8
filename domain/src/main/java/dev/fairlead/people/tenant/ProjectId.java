package dev.fairlead.people.tenant;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record ProjectId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.PROJECT;
  }
}
