package dev.fairlead.people.legalhold;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/** The legal holds of tenants. What is decided of jobs is not removed while one keeps it. */
public interface LegalHoldStore {
  /** By name. */
  List<LegalHold> all(TenantId tenant);

  /**
   * The same for the open transaction, which deletes: none is put until it ends, so that what a
   * hold keeps is never deleted after it was put.
   */
  List<LegalHold> inForce(TenantId tenant);

  /**
   * The same for the open transaction, which changes one: it waits for those that delete and for
   * others that change.
   */
  List<LegalHold> locked(TenantId tenant);

  /** Adds it, or replaces the one of its name. */
  void put(LegalHold hold);

  void remove(LegalHold hold);
}
