package dev.fairlead.care.healthtest;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names a run of a health test. */
public record HealthTestRunId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.HEALTH_TEST_RUN;
  }
}
