package dev.fairlead.work.schedule;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Identifies a schedule. A schedule that is deleted and added again has another id. */
public record ScheduleId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.SCHEDULE;
  }
}
