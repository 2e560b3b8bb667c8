package dev.fairlead.money.price.postgres;

import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link PriceStore} on PostgreSQL. */
@Component
class PostgresPriceStore implements PriceStore {
  private static final SqlFile LOCK = SqlFile.named("price/lock-prices");

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final PriceRepository rows;
  private final JdbcClient jdbc;
  private volatile @Nullable Known last;

  /** The book of so many rows. */
  private record Known(int rows, PriceBook book) {}

  PostgresPriceStore(
      Transactions transactions, RowLevelSecurity wall, PriceRepository rows, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.rows = rows;
    this.jdbc = jdbc;
  }

  @Override
  public List<Price> prices() {
    return transactions.forAllTenants(() -> values(rows.findByOrderById()));
  }

  @Override
  public List<Price> prices(TenantId tenant) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return values(rows.seenBy(tenant.value()));
    });
  }

  /** Rows are added one writer after the other and never changed: their number names the book. */
  @Override
  public PriceBook book() {
    return transactions.forAllTenants(() -> {
      int count = rows.countBy();
      Known known = last;
      if (known == null || known.rows != count) {
        known = new Known(count, new PriceBook(prices()));
        last = known;
      }
      return known.book;
    });
  }

  private static List<Price> values(List<PriceRow> rows) {
    return rows.stream().map(PriceRow::price).toList();
  }

  @Override
  public Instant lock() {
    return transactions.forAllTenants(
        () -> jdbc.sql(LOCK.text()).query(OffsetDateTime.class).single().toInstant());
  }

  @Override
  public void insert(Price price) {
    boolean _ =
        transactions.forAllTenants(() -> {
          Constraints.unique(
              () -> rows.saveAndFlush(PriceEntity.of(price)),
              () -> new Conflict(Conflict.Guard.VERSION, price.id().text()));
          return true;
        });
  }
}
