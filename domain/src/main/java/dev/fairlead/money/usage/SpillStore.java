package dev.fairlead.money.usage;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Data derived from hours of usage and of the fleet. */
public interface SpillStore {
  /**
   * Sums the hours that begin in a span.
   *
   * @param tenant its usage, and reserved GPUs available to it, null for all tenants
   * @param from first instant
   * @param to first instant after it
   */
  SpillReport spill(@Nullable TenantId tenant, Instant from, Instant to);

  /**
   * Hours of a span in which the tenant used hourly capacity, or could have used free reserved
   * GPUs, by model, then by hour. Streams the rows while they are read.
   *
   * @param from start of an hour
   * @param to start of a later hour
   */
  void hours(TenantId tenant, Instant from, Instant to, Consumer<SpillHour> each);

  /**
   * Usage of reserved capacity by all tenants in each hour of a span. Omits hours from before
   * capacity types were stored. Streams the rows while they are read.
   *
   * @param from start of an hour
   * @param to start of a later hour
   */
  void reservedUse(Instant from, Instant to, Consumer<FleetUse> each);
}
