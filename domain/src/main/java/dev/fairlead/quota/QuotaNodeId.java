package dev.fairlead.quota;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record QuotaNodeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.QUEUE;
  }
}
