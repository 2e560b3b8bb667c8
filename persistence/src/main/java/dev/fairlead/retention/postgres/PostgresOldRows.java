package dev.fairlead.retention.postgres;

import dev.fairlead.postgres.SqlFile;
import dev.fairlead.postgres.TenantWall;
import dev.fairlead.retention.Ages;
import dev.fairlead.retention.OldRows;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link OldRows} on PostgreSQL; prepares when the service starts. */
@Component
@DependsOnDatabaseInitialization
class PostgresOldRows implements OldRows, InitializingBean {
  private static final SqlFile PREPARE = SqlFile.named("retention/make-partitions");
  private static final SqlFile ARCHIVE = SqlFile.named("retention/archive-jobs");
  private static final SqlFile EVENTS = SqlFile.named("retention/drop-events");
  private static final SqlFile KEYS = SqlFile.named("retention/delete-idempotency-keys");
  private static final SqlFile OPERATIONS = SqlFile.named("retention/delete-operations");
  private static final SqlFile CLASSES = SqlFile.named("retention/delete-explanations");

  private static final SqlFile TALLY = SqlFile.named("retention/fold-tally");
  private static final SqlFile HISTORY = SqlFile.named("retention/fold-use-history");

  private final Transactions transactions;
  private final TenantWall wall;
  private final JdbcClient jdbc;

  PostgresOldRows(Transactions transactions, TenantWall wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public void afterPropertiesSet() {
    prepare();
  }

  @Override
  public void prepare() {
    jdbc.sql(PREPARE.text()).query(String.class).single();
  }

  /** Each kind in its own transaction, so that none waits for another's locks. */
  @Override
  public int clear(Ages ages, int limit) {
    wall.acrossTenants();
    return limited(ARCHIVE, ages.finishedJobs(), limit)
        + limited(KEYS, ages.idempotencyKeys(), limit)
        + limited(OPERATIONS, ages.finishedJobs(), limit)
        + limited(CLASSES, ages.finishedJobs(), limit)
        + dropped(ages.events());
  }

  @Override
  public void fold() {
    wall.acrossTenants();
    transactions.run(() -> jdbc.sql(TALLY.text()).update());
    transactions.run(() -> jdbc.sql(HISTORY.text()).update());
  }

  private int limited(SqlFile statement, Duration age, int limit) {
    return transactions.call(() ->
        jdbc.sql(statement.text())
            .param("seconds", age.toSeconds())
            .param("limit", limit)
            .update());
  }

  private int dropped(Duration age) {
    return transactions.call(() ->
        jdbc.sql(EVENTS.text()).param("seconds", age.toSeconds()).query(Integer.class).single());
  }
}
