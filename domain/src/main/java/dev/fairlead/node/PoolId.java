package dev.fairlead.node;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record PoolId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.POOL;
  }
}
