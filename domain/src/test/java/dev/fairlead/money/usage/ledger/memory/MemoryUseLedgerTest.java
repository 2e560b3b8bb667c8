package dev.fairlead.money.usage.ledger.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.money.usage.ledger.UseLedgerContract;

class MemoryUseLedgerTest extends UseLedgerContract {
  private final UseLedger ledger = new MemoryUseLedger(new MemoryDatabase(), () -> 0, () -> 0);

  @Override
  protected UseLedger ledger() {
    return ledger;
  }
}
