package dev.fairlead.money.price.memory;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.function.Supplier;

/** In-memory implementation of {@link PriceStore}. */
public final class MemoryPriceStore implements PriceStore {
  private final ConfigStore documents;
  private final PoolStore pools;
  private final Supplier<Instant> now;
  private PriceBook known = PriceBook.EMPTY;

  public MemoryPriceStore(ConfigStore documents, PoolStore pools, Supplier<Instant> now) {
    this.documents = documents;
    this.pools = pools;
    this.now = now;
  }

  @Override
  public PriceBook book() {
    PriceBook book = PriceBook.of(documents.all(Price.DOCUMENTS));
    if (!book.equals(known)) {
      known = book;
    }
    return known;
  }

  @Override
  public PriceBook book(TenantId tenant) {
    return book().ofPools(pools.pools(tenant).stream().map(Pool::name).toList());
  }

  @Override
  public Instant lock() {
    return now.get();
  }
}
