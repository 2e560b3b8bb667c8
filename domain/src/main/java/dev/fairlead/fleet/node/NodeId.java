package dev.fairlead.fleet.node;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record NodeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.NODE;
  }
}
