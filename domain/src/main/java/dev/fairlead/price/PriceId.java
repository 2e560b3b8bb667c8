package dev.fairlead.price;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record PriceId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.PRICE;
  }
}
