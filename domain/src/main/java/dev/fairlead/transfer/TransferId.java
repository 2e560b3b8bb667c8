package dev.fairlead.transfer;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

/** Names a transfer. */
public record TransferId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.TRANSFER;
  }
}
