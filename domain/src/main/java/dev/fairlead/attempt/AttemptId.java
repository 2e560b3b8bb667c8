package dev.fairlead.attempt;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record AttemptId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.ATTEMPT;
  }
}
