package dev.fairlead.audit.postgres;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.postgres.TenantWall;
import dev.fairlead.tenant.Actor;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link AuditLog} on PostgreSQL; no role of the service may change or remove a row. */
@Component
class PostgresAuditLog implements AuditLog {
  private static final SqlFile INSERT = SqlFile.named("audit/insert-audit-records");
  private final Transactions transactions;
  private final TenantWall wall;
  private final JdbcClient jdbc;

  PostgresAuditLog(Transactions transactions, TenantWall wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public void append(List<AuditRecord> entries) {
    if (entries.isEmpty()) {
      return;
    }
    transactions.run(() -> {
      wall.enter(entries.getFirst().actor().tenant().value());
      jdbc.sql(INSERT.text())
          .param("entries", Json.write(entries.stream().map(PostgresAuditLog::row).toList()))
          .update();
    });
  }

  private static Row row(AuditRecord entry) {
    Actor actor = entry.actor();
    return new Row(
        actor.tenant().value(),
        actor.name(),
        actor.administrator(),
        entry.operation(),
        entry.subject(),
        entry.allowed(),
        entry.detail());
  }

  /** Columns by their names. */
  private record Row(
      UUID tenant,
      String actor,
      boolean administrator,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail) {}
}
