package dev.fairlead.fleet.node.pool;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record PoolId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.POOL;
  }
}
