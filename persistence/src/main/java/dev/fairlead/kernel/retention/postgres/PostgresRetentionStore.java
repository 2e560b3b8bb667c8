package dev.fairlead.kernel.retention.postgres;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.NodeCleanup;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link RetentionStore} on PostgreSQL. Prepares statements when the service starts. */
@Component
@DependsOnDatabaseInitialization
class PostgresRetentionStore implements RetentionStore, InitializingBean {
  private static final SqlFile PREPARE = SqlFile.named("retention/make-partitions");
  private static final SqlFile EVENTS = SqlFile.named("retention/drop-events");
  private static final SqlFile KEYS = SqlFile.named("retention/delete-idempotency-keys");
  private static final SqlFile TOKENS = SqlFile.named("retention/delete-tokens");
  private static final SqlFile OPERATIONS = SqlFile.named("retention/delete-operations");
  private static final SqlFile CLASSES = SqlFile.named("retention/delete-explanations");
  private static final SqlFile HEALTH = SqlFile.named("retention/delete-health-events");
  private static final SqlFile NODES = SqlFile.named("retention/retire-nodes");
  private static final SqlFile INCIDENTS = SqlFile.named("retention/delete-incidents");
  private static final SqlFile USAGE = SqlFile.named("retention/delete-usage");
  private static final SqlFile PREEMPTIONS = SqlFile.named("retention/delete-preemption-counts");
  private static final SqlFile EFFICIENCY = SqlFile.named("retention/delete-efficiency");
  private static final SqlFile CONFIG = SqlFile.named("retention/delete-config-versions");
  private static final SqlFile DEVICES = SqlFile.named("retention/delete-devices");
  private static final SqlFile OLDEST = SqlFile.named("retention/oldest");
  private static final SqlFile HORIZON = SqlFile.named("retention/horizon");
  private static final SqlFile NOTES = SqlFile.named("retention/delete-change-notes");

  /** Readers poll every few seconds. A reader that is later reads all rows. */
  private static final Duration NOTES_KEPT = Duration.ofMinutes(2);

  private static final int MOST_NOTES = 500_000;
  private static final SqlFile TALLY = SqlFile.named("retention/fold-tally");
  private static final SqlFile HISTORY = SqlFile.named("retention/fold-use-history");

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final JobArchive archive;
  private final OldDecisions decisions;
  private final NodeCleanup cleanup;

  PostgresRetentionStore(
      Transactions transactions,
      JdbcClient jdbc,
      JobArchive archive,
      OldDecisions decisions,
      NodeCleanup cleanup) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.archive = archive;
    this.decisions = decisions;
    this.cleanup = cleanup;
  }

  @Override
  public void afterPropertiesSet() {
    prepare();
  }

  @Override
  public void prepare() {
    String _ =
        transactions.forAllTenants(() -> jdbc.sql(PREPARE.text()).query(String.class).single());
  }

  @Override
  public int clear(Kind kind, Ages ages, int limit) {
    Duration age = ages.of(kind);
    return switch (kind) {
      case JOBS -> archive.move(age, limit);
      case IDEMPOTENCY_KEYS -> limited(KEYS, age, limit);
      case TOKENS -> limited(TOKENS, age, limit);
      case OPERATIONS -> limited(OPERATIONS, age, limit);
      case EXPLANATIONS -> limited(CLASSES, age, limit);
      case EVENTS -> dropped(age);
      case HEALTH_EVENTS -> counted(HEALTH, age, limit);
      case INCIDENTS -> limited(INCIDENTS, age, limit);
      case DEVICES -> unreachable(ages, limit);
      case USAGE -> counted(USAGE, age, limit);
      case DECISIONS -> decisions.clear(age, limit);
      case PREEMPTION_COUNTS -> limited(PREEMPTIONS, age, limit);
      case EFFICIENCY -> limited(EFFICIENCY, age, limit);
      case CONFIG_VERSIONS -> limited(CONFIG, age, limit);
      case NODES -> retired(limit);
    };
  }

  @Override
  public Map<Kind, Duration> oldest() {
    Map<Kind, Duration> oldest = new EnumMap<>(Kind.class);
    transactions
        .forAllTenants(() ->
            jdbc.sql(OLDEST.text())
                .query((row, n) ->
                    Map.entry(
                        Kind.valueOf(row.getString("kind")),
                        Duration.ofSeconds(row.getLong("seconds"))))
                .list())
        .forEach(entry -> oldest.put(entry.getKey(), entry.getValue()));
    return oldest;
  }

  @Override
  public Duration horizon() {
    return Duration.ofSeconds(
        transactions.forAllTenants(() -> jdbc.sql(HORIZON.text()).query(Long.class).single()));
  }

  @Override
  public void fold() {
    int _ = transactions.forAllTenants(() -> jdbc.sql(TALLY.text()).update());
    int _ = transactions.forAllTenants(() -> jdbc.sql(HISTORY.text()).update());
    limited(NOTES, NOTES_KEPT, MOST_NOTES);
  }

  private int limited(SqlFile statement, Duration age, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(statement.text())
            .param("seconds", age.toSeconds())
            .param("limit", limit)
            .update());
  }

  /** Runs a statement that deletes rows of several tables, and returns their number. */
  private int counted(SqlFile statement, Duration age, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(statement.text())
            .param("seconds", age.toSeconds())
            .param("limit", limit)
            .query(Integer.class)
            .single());
  }

  private int unreachable(Ages ages, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DEVICES.text())
            .param("seconds", ages.of(Kind.DEVICES).toSeconds())
            .param("changes", ages.of(Kind.INCIDENTS).toSeconds())
            .param("limit", limit)
            .query(Integer.class)
            .single());
  }

  private int retired(int limit) {
    int moved =
        transactions.forAllTenants(() -> jdbc.sql(NODES.text()).param("limit", limit).update());
    return moved + cleanup.end(Ages.GONE, limit);
  }

  private int dropped(Duration age) {
    return transactions.forAllTenants(() ->
        jdbc.sql(EVENTS.text()).param("seconds", age.toSeconds()).query(Integer.class).single());
  }
}
