package dev.fairlead.money.price;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record PriceId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.PRICE;
  }
}
