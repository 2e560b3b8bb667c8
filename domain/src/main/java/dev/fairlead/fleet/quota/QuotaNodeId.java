package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record QuotaNodeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.QUEUE;
  }
}
