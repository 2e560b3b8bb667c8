package dev.fairlead.money.price;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;

/** The rows of the price book. They are appended and read, never changed or removed. */
public interface PriceStore {
  /** All of them, by id. */
  List<Price> prices();

  /** The book of all of them; the same object for as long as none is added. */
  PriceBook book();

  /** Without those of pools that are another tenant's or are gone, by id. */
  List<Price> prices(TenantId tenant);

  /**
   * Excludes other writers of prices until the open transaction ends. Readers may still see the
   * book without a price of the moments between the answer and the commit.
   *
   * @return the database's time
   */
  Instant lock();

  /** To be called in the transaction of {@link #lock}, with what the book took. */
  void insert(Price price);
}
