package dev.fairlead.people.audit.postgres;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditEntryBuilder;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigChange;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link AuditLog} on PostgreSQL. No role of the service may change or delete a row. */
@Component
class PostgresAuditLog implements AuditLog {
  private static final SqlFile INSERT = SqlFile.named("audit/insert-audit-records");
  private static final SqlFile INSERT_KEPT = SqlFile.named("audit/insert-audit-records-kept");
  private static final SqlFile FORGET = SqlFile.named("audit/forget-config-versions");
  private static final SqlFile VERSIONS = SqlFile.named("audit/config-versions");
  private static final SqlFile NEWEST = SqlFile.named("audit/newest-audit-records");
  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresAuditLog(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void append(List<AuditRecord> entries) {
    if (entries.isEmpty()) {
      return;
    }
    transactions.runInTenant(
        entries.getFirst().actor().tenant(),
        () -> {
          boolean kept = entries.stream().anyMatch(entry -> entry.config() != null);
          jdbc.sql((kept ? INSERT_KEPT : INSERT).text())
              .param("entries", Json.write(entries.stream().map(PostgresAuditLog::row).toList()))
              .update();
          entries.forEach(this::forget);
        });
  }

  private void forget(AuditRecord entry) {
    ConfigChange change = entry.config();
    if (change != null) {
      jdbc.sql(FORGET.text())
          .param("tenant", entry.actor().tenant().value())
          .param("kind", change.kind().name())
          .param("name", change.name())
          .param("kept", ConfigVersion.KEPT)
          .update();
    }
  }

  @Override
  public List<ConfigVersion> versions(
      TenantId tenant, Set<ConfigKind> kinds, @Nullable String name, long before, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(VERSIONS.text())
                .param("tenant", tenant.value())
                .param("name", name, Types.VARCHAR)
                .param(
                    "kinds", kinds.stream().map(ConfigKind::name).collect(Collectors.joining(",")))
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> version(row))
                .list());
  }

  private static ConfigVersion version(ResultSet row) throws SQLException {
    return new ConfigVersion(
        row.getLong("version"),
        row.getObject("at", OffsetDateTime.class).toInstant(),
        row.getString("actor"),
        row.getString("operation"),
        new Cause(row.getString("reason"), row.getObject("reverts", Long.class)),
        new ConfigChange(
            ConfigKind.valueOf(row.getString("kind")),
            row.getString("name"),
            row.getString("before"),
            row.getString("after")));
  }

  @Override
  public List<AuditEntry> newest(
      TenantId tenant, AuditFilter filter, AuditPosition before, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(NEWEST.text())
                .param("tenant", tenant.value())
                .param("before", before.at().atOffset(ZoneOffset.UTC))
                .param("beforeSeq", before.seq())
                .param("since", time(filter.since()), Types.TIMESTAMP_WITH_TIMEZONE)
                .param("until", time(filter.until()), Types.TIMESTAMP_WITH_TIMEZONE)
                .param("actor", filter.actor(), Types.VARCHAR)
                .param("operation", filter.operation(), Types.VARCHAR)
                .param("subject", filter.subject(), Types.VARCHAR)
                .param("allowed", filter.allowed(), Types.BOOLEAN)
                .param("limit", limit)
                .query((row, n) -> entry(row))
                .list());
  }

  private static @Nullable OffsetDateTime time(@Nullable Instant at) {
    return at == null ? null : at.atOffset(ZoneOffset.UTC);
  }

  private static AuditEntry entry(ResultSet row) throws SQLException {
    return AuditEntryBuilder.builder()
        .at(row.getObject("at", OffsetDateTime.class).toInstant())
        .seq(row.getLong("seq"))
        .actor(row.getString("actor"))
        .operation(row.getString("operation"))
        .subject(row.getString("subject"))
        .allowed(row.getBoolean("allowed"))
        .count(row.getInt("count"))
        .requestId(row.getString("request_id"))
        .address(row.getString("address"))
        .detail(Json.object(row.getString("detail")))
        .build();
  }

  private static Row row(AuditRecord entry) {
    Actor actor = entry.actor();
    Origin origin = actor.origin();
    ConfigChange config = entry.config();
    return PostgresAuditLogRowBuilder.builder()
        .tenant(actor.tenant().value())
        .actor(actor.name())
        .administrator(actor.administrator())
        .operation(entry.operation())
        .subject(entry.subject())
        .allowed(entry.allowed())
        .detail(entry.detail())
        .count(entry.count())
        .request_id(origin == null ? null : origin.requestId())
        .address(origin == null ? null : origin.address())
        .kind(config == null ? null : config.kind())
        .name(config == null ? null : config.name())
        .before(config == null ? null : config.before())
        .after(config == null ? null : config.after())
        .build();
  }

  /** Columns by name. */
  @RecordBuilder
  record Row(
      UUID tenant,
      String actor,
      boolean administrator,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail,
      int count,
      @Nullable String request_id,
      @Nullable String address,
      @Nullable ConfigKind kind,
      @Nullable String name,
      @Nullable String before,
      @Nullable String after) {}
}
