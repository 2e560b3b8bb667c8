package dev.fairlead.kernel.identity;

import java.util.UUID;

public record JobId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.JOB;
  }
}
