package dev.fairlead.token;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record TokenId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.TOKEN;
  }
}
