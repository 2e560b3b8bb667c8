package dev.fairlead.money.price.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresPriceStore implements PriceStore {
  private static final SqlFile LOCK = SqlFile.named("price/lock-prices");

  private final Transactions transactions;
  private final ConfigStore documents;
  private final PoolStore pools;
  private final JdbcClient jdbc;
  private volatile @Nullable Known last;

  /** The price book after this number of documents. */
  private record Known(int count, PriceBook book) {}

  PostgresPriceStore(
      Transactions transactions, ConfigStore documents, PoolStore pools, JdbcClient jdbc) {
    this.transactions = transactions;
    this.documents = documents;
    this.pools = pools;
    this.jdbc = jdbc;
  }

  /**
   * Prices are appended by one writer at a time and never changed, so their count identifies the
   * book.
   */
  @Override
  public PriceBook book() {
    return transactions.forAllTenants(() -> {
      int count = documents.count(Price.DOCUMENTS);
      Known known = last;
      if (known == null || known.count != count) {
        known = new Known(count, PriceBook.of(documents.all(Price.DOCUMENTS)));
        last = known;
      }
      return known.book;
    });
  }

  @Override
  public PriceBook book(TenantId tenant) {
    return book().ofPools(pools.pools(tenant).stream().map(Pool::name).toList());
  }

  @Override
  public Instant lock() {
    return transactions.forAllTenants(
        () -> jdbc.sql(LOCK.text()).query(OffsetDateTime.class).single().toInstant());
  }
}
