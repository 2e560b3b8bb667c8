package dev.fairlead.work.attempt;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record AttemptId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.ATTEMPT;
  }
}
