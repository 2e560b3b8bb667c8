package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.Cause;
import java.time.Instant;

/**
 * A {@link ConfigChange} as it is kept.
 *
 * @param version number of the row of the audit that the change has
 * @param cause why it was made; without anything for those of before reasons were kept
 * @param at when its transaction began, by the database's clock
 */
public record ConfigVersion(
    long version, Instant at, String actor, String operation, Cause cause, ConfigChange change) {
  /** How many of the same kind and name are kept in a tenant, the newest. */
  public static final int KEPT = 500;
}
