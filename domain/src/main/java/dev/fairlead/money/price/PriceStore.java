package dev.fairlead.money.price;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;

/**
 * The price book of the installation. Its prices are documents of the configuration, which are
 * appended and read.
 */
public interface PriceStore {
  /** Returns the book of all prices, the same object until a price is appended. */
  PriceBook book();

  /** The book without the prices of pools of other tenants and of deleted pools. */
  PriceBook book(TenantId tenant);

  /**
   * Excludes other writers of prices until the open transaction ends. Readers may still see the
   * book without a price that starts between the returned time and the commit.
   *
   * @return the database's time
   */
  Instant lock();
}
