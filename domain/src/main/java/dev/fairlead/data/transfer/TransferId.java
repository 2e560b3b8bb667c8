package dev.fairlead.data.transfer;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names a transfer. */
public record TransferId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.TRANSFER;
  }
}
