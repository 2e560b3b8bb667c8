package dev.fairlead.legalhold.memory;

import dev.fairlead.legalhold.LegalHold;
import dev.fairlead.legalhold.LegalHoldStore;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.util.List;

/** Twin of {@link LegalHoldStore}; its transactions are one after the other. */
public final class MemoryLegalHoldStore implements LegalHoldStore {
  private final MemoryDatabase database;
  private final MemoryTable<String, LegalHold> holds;

  public MemoryLegalHoldStore(MemoryDatabase database) {
    this.database = database;
    this.holds = database.table();
  }

  private static String key(LegalHold hold) {
    return hold.tenant().text() + "/" + hold.name();
  }

  @Override
  public List<LegalHold> all(TenantId tenant) {
    return database.call(
        () -> holds.all().stream().filter(hold -> hold.tenant().equals(tenant)).toList());
  }

  @Override
  public List<LegalHold> inForce(TenantId tenant) {
    return all(tenant);
  }

  @Override
  public List<LegalHold> locked(TenantId tenant) {
    return all(tenant);
  }

  @Override
  public void put(LegalHold hold) {
    database.run(() -> holds.put(key(hold), hold));
  }

  @Override
  public void remove(LegalHold hold) {
    database.run(() -> holds.remove(key(hold)));
  }
}
