package dev.fairlead.operation;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record OperationId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.OPERATION;
  }
}
