package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.quarantine.DomainQuarantineContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryDomainQuarantineTest extends DomainQuarantineContract {
  private final MemoryStores stores = MemoryStores.empty(290);

  @Override
  protected Stores stores() {
    return stores;
  }
}
