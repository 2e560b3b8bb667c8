package dev.fairlead.work.serving.key.postgres;

import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyBuilder;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceUse;
import dev.fairlead.work.serving.key.UseSpan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

@Component
class PostgresServiceKeyStore implements ServiceKeyStore {
  private static final SqlFile INSERT = SqlFile.named("service-key/insert");
  private static final SqlFile KEYS = SqlFile.named("service-key/keys");
  private static final SqlFile LOCK = SqlFile.named("service-key/lock");
  private static final SqlFile FORGET_KEYS = SqlFile.named("service-key/forget-keys");
  private static final SqlFile FIND = SqlFile.named("service-key/find");
  private static final SqlFile VALID = SqlFile.named("service-key/valid");
  private static final SqlFile VERSION = SqlFile.named("service-key/version");
  private static final SqlFile CHANGES = SqlFile.named("service-key/changes");
  private static final SqlFile REVOKE = SqlFile.named("service-key/revoke");
  private static final SqlFile USAGE = SqlFile.named("service-key/usage");
  private static final SqlFile USAGE_BY_PERIOD = SqlFile.named("service-key/usage-by-period");
  private static final SqlFile USAGE_OF_TENANT = SqlFile.named("service-key/usage-of-tenant");
  private static final SqlFile TOKENS = SqlFile.named("service-key/tokens");
  private static final SqlFile LEAVE = SqlFile.named("service-key/leave");
  private static final SqlFile TAKE_BATCH = SqlFile.named("service-key/take-batch");
  private static final SqlFile ADD_HOURS = SqlFile.named("service-key/add-hours");
  private static final SqlFile ADD_MINUTES = SqlFile.named("service-key/add-minutes");
  private static final SqlFile USE_KEYS = SqlFile.named("service-key/use-keys");
  private static final SqlFile ADD_TRAFFIC = SqlFile.named("service-key/add-traffic");
  private static final SqlFile FORGET_HOURS = SqlFile.named("service-key/forget-hours");
  private static final SqlFile FORGET_MINUTES = SqlFile.named("service-key/forget-minutes");
  private static final SqlFile FORGET_GATES = SqlFile.named("service-key/forget-gates");
  private static final SqlFile GATES = SqlFile.named("service-key/gates");
  private static final SqlFile MINUTES = SqlFile.named("service-key/minutes");
  private static final Duration MINUTES_KEPT = Duration.ofMinutes(10);
  private static final String TENANT = "tenant";
  private static final String SERVICE = "service";
  private static final String NAME = "name";
  private static final String PERIOD = "period";
  private static final String REQUESTS = "requests";

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  PostgresServiceKeyStore(Transactions transactions, JdbcClient jdbc, BelievedTime time) {
    this.time = time;
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private StatementSpec of(SqlFile file, TenantId tenant, ModelServiceId service) {
    return jdbc.sql(file.text()).param(TENANT, tenant.value()).param(SERVICE, service.value());
  }

  private StatementSpec of(SqlFile file, TenantId tenant, ServiceKey.Name key) {
    return of(file, tenant, key.service()).param(NAME, key.name());
  }

  @Override
  public void insert(ServiceKey key) {
    StatementSpec row =
        of(INSERT, key.tenant(), key.key())
            .param("hash", key.hash())
            .param("created_by", key.createdBy())
            .param("created_at", Columns.parameter(key.createdAt()))
            .param("expires_at", Columns.parameter(key.expiresAt()))
            .param("requests_per_minute", key.requestsPerMinute())
            .param("tokens_per_minute", key.tokensPerMinute());
    int _ =
        transactions.inTenant(
            key.tenant(),
            () -> {
              Constraints.unique(
                  row::update, () -> new Conflict(Guard.NAME_TAKEN, key.key().name()));
              return 1;
            });
  }

  @Override
  public List<ServiceKey> keys(TenantId tenant, ModelServiceId service) {
    return transactions.inTenant(
        tenant, () -> of(KEYS, tenant, service).query(PostgresServiceKeyStore::key).list());
  }

  @Override
  public List<ServiceKey> locked(TenantId tenant, ModelServiceId service, Instant before) {
    return transactions.inTenant(
        tenant,
        () -> {
          List<Integer> _ = of(LOCK, tenant, service).query(Integer.class).list();
          int _ =
              of(FORGET_KEYS, tenant, service).param("before", Columns.parameter(before)).update();
          return keys(tenant, service);
        });
  }

  private static ServiceKey key(ResultSet row, int number) throws SQLException {
    return ServiceKeyBuilder.builder()
        .key(name(row))
        .tenant(new TenantId(Columns.uuid(row, TENANT)))
        .hash(Columns.text(row, "hash"))
        .createdBy(Columns.text(row, "created_by"))
        .createdAt(Columns.instant(row, "created_at"))
        .expiresAt(Columns.instant(row, "expires_at"))
        .revokedAt(Columns.instantOrNull(row, "revoked_at"))
        .requestsPerMinute(Columns.integerOrNull(row, "requests_per_minute"))
        .tokensPerMinute(Columns.integerOrNull(row, "tokens_per_minute"))
        .lastUsedAt(Columns.instantOrNull(row, "last_used_at"))
        .build();
  }

  private static ServiceKey.Name name(ResultSet row) throws SQLException {
    return new ServiceKey.Name(
        new ModelServiceId(Columns.uuid(row, SERVICE)), Columns.text(row, NAME));
  }

  @Override
  public Optional<ServiceKey> find(TenantId tenant, ServiceKey.Name key) {
    return transactions.inTenant(
        tenant, () -> of(FIND, tenant, key).query(PostgresServiceKeyStore::key).optional());
  }

  @Override
  public void revoke(ServiceKey key) {
    int _ =
        transactions.inTenant(
            key.tenant(),
            () ->
                of(REVOKE, key.tenant(), key.key())
                    .param("revoked_at", Columns.parameter(key.revokedAt()))
                    .update());
  }

  /** The version is read first, so a change that commits afterwards is read again next time. */
  @Override
  public KeyChanges changes(long since, Instant now) {
    return transactions.forAllTenants(() -> {
      long version = jdbc.sql(VERSION.text()).query(Long.class).single();
      boolean all = since == 0 || since > version;
      StatementSpec statement =
          all
              ? jdbc.sql(VALID.text()).param("now", Columns.parameter(now))
              : jdbc.sql(CHANGES.text()).param("since", since);
      return new KeyChanges(version, all, statement.query(PostgresServiceKeyStore::key).list());
    });
  }

  @Override
  public List<KeyHour> usage(
      TenantId tenant, ModelServiceId service, UseSpan span, @Nullable Position after, int limit) {
    boolean hours = span.period() == UseSpan.Period.HOUR;
    Position last = after == null ? new Position(Instant.EPOCH, "") : after;
    return transactions.inTenant(
        tenant,
        () -> {
          StatementSpec statement =
              of(hours ? USAGE : USAGE_BY_PERIOD, tenant, service, span)
                  .param("begin", Columns.parameter(last.begin()))
                  .param("key", last.key())
                  .param("limit", limit);
          return (hours ? statement : statement.param(PERIOD, period(span)))
              .query((row, n) -> used(service, row))
              .list();
        });
  }

  private StatementSpec of(SqlFile file, TenantId tenant, ModelServiceId service, UseSpan span) {
    return of(file, tenant, service)
        .param("from", Columns.parameter(span.first()))
        .param("to", Columns.parameter(span.to()));
  }

  private static String period(UseSpan span) {
    return span.period().name().toLowerCase(Locale.ROOT);
  }

  private static KeyHour used(ModelServiceId service, ResultSet row) throws SQLException {
    return new KeyHour(
        new ServiceKey.Name(service, Columns.text(row, NAME)),
        Columns.instant(row, "hour"),
        use(row));
  }

  private static KeyUse use(ResultSet row) throws SQLException {
    return new KeyUse(
        row.getLong(REQUESTS),
        row.getLong("prompt_tokens"),
        row.getLong("completion_tokens"),
        row.getLong("unmetered"));
  }

  @Override
  public List<ServiceUse> usage(TenantId tenant, Instant from, Instant to) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(USAGE_OF_TENANT.text())
                .param(TENANT, tenant.value())
                .param("from", Columns.parameter(from))
                .param("to", Columns.parameter(to))
                .query((row, n) ->
                    new ServiceUse(
                        new ProjectId(Columns.uuid(row, "project")),
                        Columns.text(row, "service_name"),
                        name(row),
                        use(row)))
                .list());
  }

  @Override
  public SortedMap<Instant, Long> tokens(TenantId tenant, ModelServiceId service, UseSpan span) {
    SortedMap<Instant, Long> tokens = new TreeMap<>();
    boolean _ =
        transactions.inTenant(
            tenant,
            () -> {
              of(TOKENS, tenant, service, span)
                  .param(PERIOD, period(span))
                  .query(row -> {
                    tokens.put(Columns.instant(row, "begin"), row.getLong("tokens"));
                  });
              return true;
            });
    return tokens;
  }

  @Override
  public Instant now() {
    return transactions.forAllTenants(time::now);
  }

  @Override
  public void leave(UUID gate) {
    int _ = transactions.forAllTenants(() -> jdbc.sql(LEAVE.text()).param("gate", gate).update());
  }

  @Override
  public void add(GateBatch batch, Instant now) {
    int _ =
        transactions.forAllTenants(() -> {
          int taken =
              jdbc.sql(TAKE_BATCH.text())
                  .param("gate", batch.gate())
                  .param("number", batch.number())
                  .param("now", Columns.parameter(now))
                  .update();
          if (taken == 1) {
            write(USE_KEYS, used(batch));
            write(ADD_HOURS, hours(batch));
            write(ADD_MINUTES, minutes(batch));
            write(ADD_TRAFFIC, traffic(batch));
          }
          forget(FORGET_HOURS, now.minus(KEPT));
          forget(FORGET_MINUTES, now.minus(MINUTES_KEPT));
          forget(FORGET_GATES, now.minus(KEPT));
          return taken;
        });
  }

  private void write(SqlFile file, RowBatch rows) {
    if (!rows.isEmpty()) {
      int _ = jdbc.sql(file.text()).param("rows", rows.json()).update();
    }
  }

  private void forget(SqlFile file, Instant before) {
    int _ = jdbc.sql(file.text()).param("before", Columns.parameter(before)).update();
  }

  private static RowBatch row(RowBatch rows, ServiceKey.Name key) {
    return rows.row().set(SERVICE, key.service().value()).set(NAME, key.name());
  }

  private static RowBatch used(GateBatch batch) {
    RowBatch rows = new RowBatch();
    batch.used().forEach((key, at) -> row(rows, key).set("at", at.toString()));
    return rows;
  }

  private static RowBatch hours(GateBatch batch) {
    RowBatch rows = new RowBatch();
    for (KeyHour each : batch.hours()) {
      row(rows, each.key())
          .set("hour", each.hour().toString())
          .set(REQUESTS, each.use().requests())
          .set("prompt_tokens", each.use().promptTokens())
          .set("completion_tokens", each.use().completionTokens())
          .set("unmetered", each.use().unmetered());
    }
    return rows;
  }

  private static RowBatch minutes(GateBatch batch) {
    RowBatch rows = new RowBatch();
    for (KeyMinute each : batch.minutes()) {
      row(rows, each.key())
          .set("minute", each.minute().toString())
          .set(REQUESTS, each.requests())
          .set("tokens", each.tokens());
    }
    return rows;
  }

  private static RowBatch traffic(GateBatch batch) {
    RowBatch rows = new RowBatch();
    for (GateBatch.VersionTraffic each : batch.traffic()) {
      rows.row()
          .set(SERVICE, each.service().value())
          .set("version", each.version())
          .set(REQUESTS, each.count().requests())
          .set("bad", each.count().bad())
          .set("millis", each.count().millis());
    }
    return rows;
  }

  @Override
  public int gates(Instant since) {
    return transactions.forAllTenants(() ->
        jdbc.sql(GATES.text())
            .param("since", Columns.parameter(since))
            .query(Integer.class)
            .single());
  }

  @Override
  public List<KeyMinute> minutes(Instant minute) {
    return transactions.forAllTenants(() ->
        jdbc.sql(MINUTES.text())
            .param("minute", Columns.parameter(minute))
            .query((row, n) ->
                new KeyMinute(
                    name(row),
                    Columns.instant(row, "minute"),
                    row.getLong(REQUESTS),
                    row.getLong("tokens")))
            .list());
  }
}
