package dev.fairlead.audit.memory;

import dev.fairlead.audit.AuditLogContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryAuditLogTest extends AuditLogContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}
