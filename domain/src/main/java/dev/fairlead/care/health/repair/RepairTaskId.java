package dev.fairlead.care.health.repair;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Id of a repairer task. Its text is the key of every call about it. */
public record RepairTaskId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.REPAIR_TASK;
  }
}
