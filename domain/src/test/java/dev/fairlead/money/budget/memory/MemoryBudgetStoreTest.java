package dev.fairlead.money.budget.memory;

import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.money.budget.BudgetStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;

class MemoryBudgetStoreTest extends BudgetStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }

  @Override
  protected long middle() {
    return SettableClock.START.plus(Duration.ofDays(14)).toEpochMilli();
  }

  @Override
  protected void to(long millis) {
    stores.clock().set(Instant.ofEpochMilli(millis));
  }

  @Override
  protected void close(long untilMillis) {
    stores.budgets().timedBy(() -> stores.clock().millis(), () -> untilMillis);
  }
}
