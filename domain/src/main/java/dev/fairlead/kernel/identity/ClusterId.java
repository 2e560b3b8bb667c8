package dev.fairlead.kernel.identity;

import java.util.UUID;

public record ClusterId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.CLUSTER;
  }
}
