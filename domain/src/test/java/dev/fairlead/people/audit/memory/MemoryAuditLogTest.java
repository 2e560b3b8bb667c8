package dev.fairlead.people.audit.memory;

import dev.fairlead.people.audit.AuditLogContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryAuditLogTest extends AuditLogContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
