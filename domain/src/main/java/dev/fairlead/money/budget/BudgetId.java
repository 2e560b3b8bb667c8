package dev.fairlead.money.budget;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record BudgetId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.BUDGET;
  }
}
