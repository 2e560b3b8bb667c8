package dev.fairlead.care.health;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names a repair; its text is the key under which others are asked for its steps. */
public record RepairId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.REPAIR;
  }
}
