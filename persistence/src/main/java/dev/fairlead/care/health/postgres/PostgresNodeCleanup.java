package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.retention.NodeCleanup;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresNodeCleanup implements NodeCleanup {
  private static final SqlFile DUE = SqlFile.named("health/of-retired-nodes");
  private static final String RELEASED = "its cluster no longer lists the node";

  /** Each incident needs a few statements, and a transaction must be short. */
  private static final int MOST = 100;

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final HealthStore health;
  private final QuarantineTable quarantines;

  PostgresNodeCleanup(
      Transactions transactions, JdbcClient jdbc, HealthStore health, QuarantineTable quarantines) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.health = health;
    this.quarantines = quarantines;
  }

  private record Due(
      ClusterId cluster,
      @Nullable IncidentId incident,
      @Nullable QuarantineId quarantine,
      Instant now) {}

  /** Reads the rows again after the lock, because another transaction may have ended them. */
  @Override
  public int end(Duration age, int limit) {
    return transactions.forAllTenants(() -> {
      List<Due> any = due(null, age, 1);
      if (any.isEmpty()) {
        return 0;
      }
      ClusterId cluster = any.getFirst().cluster();
      health.enter(cluster);
      List<Due> due = due(cluster, age, Math.min(limit, MOST));
      for (Due each : due) {
        if (each.incident() != null) {
          health.incident(each.incident()).map(i -> i.ended(each.now())).ifPresent(health::write);
        }
      }
      Instant now = any.getFirst().now();
      health.write(
          quarantines
              .rows(due.stream().map(Due::quarantine).filter(Objects::nonNull).toList())
              .stream()
              .map(quarantine -> quarantine.released(now, RELEASED))
              .toList());
      return due.size();
    });
  }

  private List<Due> due(@Nullable ClusterId cluster, Duration age, int limit) {
    return jdbc.sql(DUE.text())
        .param("cluster", cluster == null ? null : cluster.value().toString())
        .param("seconds", age.toSeconds())
        .param("limit", limit)
        .query(PostgresNodeCleanup::row)
        .list();
  }

  private static Due row(ResultSet row, int number) throws SQLException {
    UUID incident = Columns.uuidOrNull(row, "incident");
    UUID quarantine = Columns.uuidOrNull(row, "quarantine");
    return new Due(
        new ClusterId(Columns.uuid(row, "cluster")),
        incident == null ? null : new IncidentId(incident),
        quarantine == null ? null : new QuarantineId(quarantine),
        Columns.instant(row, "now"));
  }
}
