package dev.fairlead.money.price;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A price of the price book. Its document is never changed or removed, so an id names one price
 * forever.
 *
 * @param perUnit price of one whole GPU for one hour. For storage, price of one GiB for one
 *     calendar month in UTC
 * @param validity stored validity. {@link PriceBook#effective} ends it at its replacement
 * @param replaces price that ends at the start of this price, or null if none
 * @param commitment amount that is paid whether it is used or not, with perUnit as its part, or
 *     null if none
 * @param recordedAt time of the write, at or before the start of the validity
 */
public record Price(
    PriceId id,
    PriceScope scope,
    Money perUnit,
    Validity validity,
    @Nullable PriceId replaces,
    @Nullable Commitment commitment,
    Instant recordedAt) {
  /** One document of the platform for each price, named by its id. */
  public static final ConfigType<Price> DOCUMENTS = new ConfigType<>(ConfigKind.PRICE, Price.class);

  /** The document of a price that is not stored yet. */
  public ConfigDocument<Price> document() {
    return ConfigDocument.ofPlatform(DOCUMENTS, id.text(), this);
  }
}
