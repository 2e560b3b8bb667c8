package dev.fairlead.people.legalhold;

import dev.fairlead.people.tenant.TenantId;
import java.util.List;

/**
 * Stores the legal holds of tenants. Decisions about jobs are not removed while a hold covers them.
 */
public interface LegalHoldStore {
  /** Returns the holds by name. */
  List<LegalHold> all(TenantId tenant);

  /**
   * Returns the holds for a transaction that deletes. No hold can be added until the transaction
   * ends, so nothing that a hold covers is deleted after the hold was added.
   */
  List<LegalHold> inForce(TenantId tenant);

  /**
   * Returns the holds for a transaction that changes one. It waits for deleting transactions and
   * other changes.
   */
  List<LegalHold> locked(TenantId tenant);

  /** Adds the hold, or replaces the hold of its name. */
  void put(LegalHold hold);

  void remove(LegalHold hold);
}
