package dev.fairlead.care.supply.postgres;

import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresSupplyStore implements SupplyStore {
  private static final SqlFile SUPPLIES = SqlFile.named("supply/supplies");
  private static final SqlFile PUT = SqlFile.named("supply/put-supply");
  private static final SqlFile DELETE = SqlFile.named("supply/delete-supply");
  private static final SqlFile COUNT = SqlFile.named("supply/requests-that-count");
  private static final SqlFile OPEN = SqlFile.named("supply/open-requests");
  private static final SqlFile OF_POOL = SqlFile.named("supply/requests-of-pool");
  private static final SqlFile INSERT = SqlFile.named("supply/insert-request");
  private static final SqlFile UPDATE = SqlFile.named("supply/update-request");
  private static final SqlFile FORGET = SqlFile.named("supply/forget-requests");
  private static final String POOL = "pool";
  private static final String VERSION = "version";
  private static final String CONTENT = "content";

  private final Transactions transactions;
  private final PoolStore pools;
  private final JdbcClient jdbc;

  PostgresSupplyStore(Transactions transactions, PoolStore pools, JdbcClient jdbc) {
    this.transactions = transactions;
    this.pools = pools;
    this.jdbc = jdbc;
  }

  @Override
  public Instant now() {
    return pools.now();
  }

  @Override
  public List<Supply> supplies() {
    return supplies(null);
  }

  @Override
  public Optional<Supply> supply(PoolId pool) {
    return supplies(pool).stream().findFirst();
  }

  private List<Supply> supplies(@Nullable PoolId pool) {
    return transactions.forAllTenants(() ->
        jdbc.sql(SUPPLIES.text())
            .param(POOL, pool == null ? null : pool.value().toString())
            .query((row, n) -> Json.read(Columns.text(row, CONTENT), Supply.class))
            .list());
  }

  @Override
  public void put(Supply supply) {
    changed(
        supply.pool().text(),
        jdbc.sql(PUT.text())
            .param(POOL, supply.pool().value())
            .param(CONTENT, Json.write(supply))
            .param(VERSION, supply.version()));
  }

  @Override
  public void delete(Supply supply) {
    changed(
        supply.pool().text(),
        jdbc.sql(DELETE.text())
            .param(POOL, supply.pool().value())
            .param(VERSION, supply.version()));
  }

  /** Without a supply, each cycle runs only one small statement. */
  @Override
  public List<SupplyOffer> offers() {
    return transactions.forAllTenants(() -> {
      List<Supply> supplies = supplies();
      if (supplies.isEmpty()) {
        return List.of();
      }
      Instant now = now();
      List<SupplyRequest> requests =
          requests(
              jdbc.sql(COUNT.text()).param("from", Columns.parameter(now.minus(StockOut.READ))));
      return SupplyOffer.of(supplies, pools.pools(), requests, now);
    });
  }

  @Override
  public List<SupplyRequest> open() {
    return transactions.forAllTenants(() -> requests(jdbc.sql(OPEN.text())));
  }

  @Override
  public List<SupplyRequest> requests(PoolId pool, int most) {
    return transactions.forAllTenants(
        () -> requests(jdbc.sql(OF_POOL.text()).param(POOL, pool.value()).param("most", most)));
  }

  private static List<SupplyRequest> requests(JdbcClient.StatementSpec statement) {
    return statement
        .query((row, n) -> Json.read(Columns.text(row, CONTENT), SupplyRequest.class))
        .list();
  }

  @Override
  public void insert(SupplyRequest request) {
    changed(
        request.id().text(), written(INSERT, request).param(POOL, request.asked().pool().value()));
  }

  @Override
  public void update(SupplyRequest request) {
    changed(request.id().text(), written(UPDATE, request));
  }

  private JdbcClient.StatementSpec written(SqlFile statement, SupplyRequest request) {
    return jdbc.sql(statement.text())
        .param("id", request.id().value())
        .param("settled", Columns.parameter(request.settledAt()))
        .param("ended", Columns.parameter(request.endedAt()))
        .param(CONTENT, Json.write(request))
        .param(VERSION, request.version());
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FORGET.text())
            .param("before", Columns.parameter(endedBefore))
            .param("most", most)
            .update());
  }

  private void changed(String what, JdbcClient.StatementSpec statement) {
    Conflict.unlessOne(transactions.forAllTenants(statement::update), Guard.VERSION, what);
  }
}
