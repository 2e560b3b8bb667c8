package dev.fairlead.money.price;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the price book. It is never changed or removed, so that its id names one price for ever.
 *
 * @param perUnit for one whole GPU, used for one hour; of storage, for one GiB that is held for a
 *     month of the calendar, in UTC
 * @param validity as it was written; {@link PriceBook#effective} tells when it was replaced
 * @param replaces the price that ends where this one begins, null for none
 * @param commitment what is paid in any case, with perUnit as its part; null for none
 * @param recordedAt when it was written, at or before the start of its validity
 */
public record Price(
    PriceId id,
    PriceScope scope,
    Money perUnit,
    Validity validity,
    @Nullable PriceId replaces,
    @Nullable Commitment commitment,
    Instant recordedAt) {
  /** One that is paid for what is used. */
  public Price(
      PriceId id,
      PriceScope scope,
      Money perUnit,
      Validity validity,
      @Nullable PriceId replaces,
      Instant recordedAt) {
    this(id, scope, perUnit, validity, replaces, null, recordedAt);
  }
}
