package dev.fairlead.node;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record NodeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.NODE;
  }
}
