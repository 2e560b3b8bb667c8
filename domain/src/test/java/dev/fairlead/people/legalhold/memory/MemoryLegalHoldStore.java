package dev.fairlead.people.legalhold.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.legalhold.LegalHold;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** In-memory implementation of {@link LegalHoldStore}, whose transactions run in sequence. */
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
