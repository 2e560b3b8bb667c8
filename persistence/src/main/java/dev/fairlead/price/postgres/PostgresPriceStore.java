package dev.fairlead.price.postgres;

import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.price.Price;
import dev.fairlead.price.PriceBook;
import dev.fairlead.price.PriceStore;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import jakarta.persistence.TypedQuery;
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
  private static final SqlFile COUNT = SqlFile.named("price/count-prices");
  private static final String ALL = "from PriceEntity p order by p.id";
  private static final String OF_TENANT =
      "from PriceEntity p where p.pool is null or p.pool in (select o.name from PoolEntity o where"
          + " o.tenant is null or o.tenant = :tenant) order by p.id";

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final Entities entities;
  private final JdbcClient jdbc;
  private volatile @Nullable Known last;

  /** The book of so many rows. */
  private record Known(int rows, PriceBook book) {}

  PostgresPriceStore(
      Transactions transactions, RowLevelSecurity wall, Entities entities, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.entities = entities;
    this.jdbc = jdbc;
  }

  @Override
  public List<Price> prices() {
    return transactions.forAllTenants(() -> read(entities.query(ALL, PriceEntity.class)));
  }

  @Override
  public List<Price> prices(TenantId tenant) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return read(
          entities.query(OF_TENANT, PriceEntity.class).setParameter("tenant", tenant.value()));
    });
  }

  @Override
  public PriceBook book() {
    return transactions.forAllTenants(() -> {
      int rows = jdbc.sql(COUNT.text()).query(Integer.class).single();
      Known known = last;
      if (known == null || known.rows != rows) {
        known = new Known(rows, new PriceBook(prices()));
        last = known;
      }
      return known.book;
    });
  }

  private List<Price> read(TypedQuery<PriceEntity> query) {
    return entities.list(query).stream().map(PriceEntity::price).toList();
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
          entities.insert(
              () -> new Conflict(Conflict.Guard.VERSION, price.id().text()),
              List.of(PriceEntity.of(price)));
          return true;
        });
  }
}
