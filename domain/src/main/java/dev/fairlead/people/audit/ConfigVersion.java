package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.Cause;
import java.time.Instant;

/**
 * A stored {@link ConfigChange}.
 *
 * @param version number of the audit row of the change
 * @param cause reason for the change, empty for changes before reasons were stored
 * @param at start of its transaction, by the database's clock
 */
public record ConfigVersion(
    long version, Instant at, String actor, String operation, Cause cause, ConfigChange change) {
  /** Maximum number of retained versions of one kind and name in a tenant, the newest. */
  public static final int KEPT = 500;
}
