package dev.fairlead.money.price.memory;

import dev.fairlead.fleet.node.Pool;
import dev.fairlead.fleet.node.PoolStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** Twin of {@link PriceStore}. */
public final class MemoryPriceStore implements PriceStore {
  private final MemoryDatabase database;
  private final PoolStore pools;
  private final Supplier<Instant> now;
  private final MemoryTable<PriceId, Price> prices;
  private PriceBook known = PriceBook.EMPTY;

  public MemoryPriceStore(MemoryDatabase database, PoolStore pools, Supplier<Instant> now) {
    this.database = database;
    this.pools = pools;
    this.now = now;
    this.prices = database.table();
  }

  @Override
  public List<Price> prices() {
    return database.call(
        () -> prices.all().stream().sorted(Comparator.comparing(Price::id)).toList());
  }

  @Override
  public PriceBook book() {
    List<Price> rows = prices();
    if (!rows.equals(known.prices())) {
      known = new PriceBook(rows);
    }
    return known;
  }

  @Override
  public List<Price> prices(TenantId tenant) {
    List<String> seen = pools.pools(tenant).stream().map(Pool::name).toList();
    return prices().stream()
        .filter(price -> price.scope().pool() == null || seen.contains(price.scope().pool()))
        .toList();
  }

  @Override
  public Instant lock() {
    return now.get();
  }

  @Override
  public void insert(Price price) {
    database.run(() -> prices.put(price.id(), price));
  }
}
