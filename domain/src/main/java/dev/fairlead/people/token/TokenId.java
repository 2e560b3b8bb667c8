package dev.fairlead.people.token;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record TokenId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.TOKEN;
  }
}
