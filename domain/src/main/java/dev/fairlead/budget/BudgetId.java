package dev.fairlead.budget;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

public record BudgetId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.BUDGET;
  }
}
