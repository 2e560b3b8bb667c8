package dev.fairlead.money.usage;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What follows from hours of use and of the fleet, kept beside them. */
public interface SpillStore {
  /**
   * Adds up the hours that begin in a span.
   *
   * @param tenant its use, and reserved GPUs that it may use; null for those of all tenants
   * @param from first instant
   * @param to first instant after it
   */
  SpillReport spill(@Nullable TenantId tenant, Instant from, Instant to);

  /**
   * Each hour of a span in which the tenant used capacity that is paid by the hour, or reserved
   * GPUs that it may use were free: by model, then by hour. Rows are handed on as they are read.
   *
   * @param from begin of an hour
   * @param to begin of a later hour
   */
  void hours(TenantId tenant, Instant from, Instant to, Consumer<SpillHour> each);

  /**
   * What all tenants used of reserved capacity in each hour of a span: by hour. Hours of before
   * capacity types were kept are left out. Rows are handed on as they are read.
   *
   * @param from begin of an hour
   * @param to begin of a later hour
   */
  void reservedUse(Instant from, Instant to, Consumer<FleetUse> each);
}
