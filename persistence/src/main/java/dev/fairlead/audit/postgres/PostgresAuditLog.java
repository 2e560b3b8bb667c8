package dev.fairlead.audit.postgres;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.postgres.TenantWall;
import dev.fairlead.transaction.Transactions;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link AuditLog} on PostgreSQL; no role of the service may change or remove a row. */
@Component
class PostgresAuditLog implements AuditLog {
  private static final SqlFile INSERT = SqlFile.named("audit/insert-audit-record");
  private final Transactions transactions;
  private final TenantWall wall;
  private final JdbcClient jdbc;

  PostgresAuditLog(Transactions transactions, TenantWall wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public void append(AuditRecord entry) {
    transactions.run(() -> {
      wall.enter(entry.actor().tenant().value());
      jdbc.sql(INSERT.text())
          .param("tenant", entry.actor().tenant().value())
          .param("actor", entry.actor().name())
          .param("administrator", entry.actor().administrator())
          .param("operation", entry.operation())
          .param("subject", entry.subject())
          .param("allowed", entry.allowed())
          .param("detail", Json.write(entry.detail()))
          .update();
    });
  }
}
