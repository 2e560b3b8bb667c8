package dev.fairlead.audit.memory;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.util.List;

/** Twin of {@link AuditLog} that can be read. */
public final class MemoryAuditLog implements AuditLog {
  private final MemoryDatabase database;
  private final MemoryTable<Integer, AuditRecord> entries;

  public MemoryAuditLog(MemoryDatabase database) {
    this.database = database;
    this.entries = database.table();
  }

  @Override
  public void append(List<AuditRecord> added) {
    database.run(() -> added.forEach(entry -> entries.put(entries.map().size(), entry)));
  }

  /** Oldest first. */
  public List<AuditRecord> entries() {
    return database.call(() -> List.copyOf(entries.all()));
  }
}
