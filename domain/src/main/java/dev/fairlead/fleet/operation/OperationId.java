package dev.fairlead.fleet.operation;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record OperationId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.OPERATION;
  }
}
