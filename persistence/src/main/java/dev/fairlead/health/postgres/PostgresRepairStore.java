package dev.fairlead.health.postgres;

import dev.fairlead.health.Repair;
import dev.fairlead.health.RepairId;
import dev.fairlead.health.RepairStore;
import dev.fairlead.node.NodeId;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link RepairStore} on PostgreSQL. */
@Component
class PostgresRepairStore implements RepairStore {
  private static final SqlFile OPEN = SqlFile.named("repair/open");
  private static final SqlFile ONE = SqlFile.named("repair/one");
  private static final SqlFile OPEN_PAGE = SqlFile.named("repair/open-page");
  private static final SqlFile REPAIRS = SqlFile.named("repair/repairs");
  private static final SqlFile INSERT = SqlFile.named("repair/insert");
  private static final SqlFile UPDATE = SqlFile.named("repair/update");
  private static final SqlFile FORGET = SqlFile.named("repair/forget");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresRepairStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<Repair> open() {
    return read(jdbc.sql(OPEN.text()));
  }

  @Override
  public Optional<Repair> repair(RepairId id) {
    return read(jdbc.sql(ONE.text()).param("id", id.value())).stream().findFirst();
  }

  @Override
  public List<Repair> repairs(
      @Nullable NodeId node, boolean open, @Nullable RepairId before, int limit) {
    return read(
        jdbc.sql((open ? OPEN_PAGE : REPAIRS).text())
            .param("node", node == null ? null : node.value().toString())
            .param("before", before == null ? null : before.value().toString())
            .param("limit", limit));
  }

  private List<Repair> read(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement.query((row, n) -> Json.read(Columns.text(row, "content"), Repair.class)).list());
  }

  @Override
  public void insert(Repair repair) {
    written(repair, jdbc.sql(INSERT.text()).param("node", repair.node().value()));
  }

  @Override
  public void update(Repair repair) {
    written(repair.following(), jdbc.sql(UPDATE.text()));
  }

  private void written(Repair repair, JdbcClient.StatementSpec statement) {
    JdbcClient.StatementSpec full =
        statement
            .param("id", repair.id().value())
            .param("ended", Columns.parameter(repair.endedAt()))
            .param("content", Json.write(repair))
            .param("version", repair.version());
    int rows = transactions.forAllTenants(full::update);
    if (rows != 1) {
      throw new Conflict(Guard.VERSION, repair.id().text());
    }
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FORGET.text())
            .param("before", Columns.parameter(endedBefore))
            .param("most", most)
            .update());
  }
}
