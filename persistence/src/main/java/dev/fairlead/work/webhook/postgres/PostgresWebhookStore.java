package dev.fairlead.work.webhook.postgres;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookDeliveryBuilder;
import dev.fairlead.work.webhook.WebhookId;
import dev.fairlead.work.webhook.WebhookRound;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStateBuilder;
import dev.fairlead.work.webhook.WebhookStatus;
import dev.fairlead.work.webhook.WebhookStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

@Component
class PostgresWebhookStore implements WebhookStore {
  private static final SqlFile ALL = SqlFile.named("webhook/webhooks");
  private static final SqlFile FIND = SqlFile.named("webhook/webhook");
  private static final SqlFile LOCK = SqlFile.named("webhook/lock-webhook");
  private static final SqlFile INSERT = SqlFile.named("webhook/insert-webhook");
  private static final SqlFile UPDATE = SqlFile.named("webhook/update-webhook");
  private static final SqlFile ADVANCE = SqlFile.named("webhook/advance-webhook");
  private static final SqlFile WAITING = SqlFile.named("webhook/waiting");
  private static final SqlFile COUNT_DEAD = SqlFile.named("webhook/count-dead");
  private static final SqlFile DELIVERIES = SqlFile.named("webhook/deliveries");
  private static final SqlFile DELETE_DELIVERY = SqlFile.named("webhook/delete-delivery");
  private static final SqlFile PUT_DELIVERY = SqlFile.named("webhook/put-delivery");
  private static final SqlFile FORGET = SqlFile.named("webhook/forget-dead");
  private static final EventPosition LAST = new EventPosition(Long.MAX_VALUE, Long.MAX_VALUE);
  private static final int TIMESTAMP = Types.TIMESTAMP_WITH_TIMEZONE;

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresWebhookStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<WebhookState> all() {
    return transactions.forAllTenants(
        () -> jdbc.sql(ALL.text()).query(PostgresWebhookStore::state).list());
  }

  @Override
  public Optional<WebhookState> find(TenantId tenant, String document) {
    return one(FIND, tenant, document);
  }

  @Override
  public Optional<WebhookState> locked(TenantId tenant, String document) {
    return one(LOCK, tenant, document);
  }

  private Optional<WebhookState> one(SqlFile file, TenantId tenant, String document) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(file.text())
                .param("tenant", tenant.value())
                .param("document", document)
                .query(PostgresWebhookStore::state)
                .optional());
  }

  @Override
  public void insert(WebhookState state) {
    write(INSERT, state);
  }

  @Override
  public void update(WebhookState state) {
    write(UPDATE, state);
  }

  private void write(SqlFile file, WebhookState state) {
    transactions.runInTenant(
        state.tenant(),
        () -> {
          int _ =
              progress(jdbc.sql(file.text()), state)
                  .param("document", state.document())
                  .param("tenant", state.tenant().value())
                  .param("secretVersion", state.secrets().version())
                  .param("previousUntil", time(state.secrets().previousUntil()), TIMESTAMP)
                  .update();
        });
  }

  private static @Nullable Object time(@Nullable Instant at) {
    return Columns.parameter(at);
  }

  private static StatementSpec progress(StatementSpec statement, WebhookState state) {
    WebhookState.Health health = state.health();
    return position(statement, state.position())
        .param("id", state.id().value())
        .param("status", state.status().name())
        .param("reason", state.reason())
        .param("failures", health.failures())
        .param("failingSince", time(health.failingSince()), TIMESTAMP)
        .param("nextAt", time(health.nextAt()), TIMESTAMP)
        .param("delivered", health.delivered())
        .param("deliveredAt", time(health.deliveredAt()), TIMESTAMP)
        .param("epoch", state.epoch());
  }

  private static StatementSpec position(StatementSpec statement, EventPosition position) {
    return statement
        .param("transaction", position.transaction())
        .param("sequence", position.sequence());
  }

  @Override
  public Set<WebhookId> advance(Collection<WebhookRound.Result> results) {
    if (results.isEmpty()) {
      return Set.of();
    }
    RowBatch rows = new RowBatch();
    results.forEach(result -> row(rows.row(), result.state()));
    return transactions.forAllTenants(() -> {
      Set<WebhookId> stored =
          jdbc.sql(ADVANCE.text())
              .param("rows", rows.json())
              .query((row, n) -> new WebhookId(Columns.uuid(row, "id")))
              .set();
      results.stream()
          .filter(result -> stored.contains(result.state().id()))
          .forEach(result -> write(result.state().tenant(), result.removed(), result.written()));
      return stored;
    });
  }

  private static void row(RowBatch row, WebhookState state) {
    WebhookState.Health health = state.health();
    row.set("id", state.id().value())
        .set("epoch", state.epoch())
        .set("status", state.status().name())
        .set("reason", state.reason())
        .set("transaction", state.position().transaction())
        .set("sequence", state.position().sequence())
        .set("failures", health.failures())
        .set("failing_since", health.failingSince())
        .set("next_at", health.nextAt())
        .set("delivered", health.delivered())
        .set("delivered_at", health.deliveredAt());
  }

  @Override
  public Backlog backlog(WebhookId webhook) {
    return transactions.forAllTenants(() ->
        new Backlog(
            jdbc.sql(WAITING.text())
                .param("webhook", webhook.value())
                .query(PostgresWebhookStore::delivery)
                .list(),
            jdbc.sql(COUNT_DEAD.text())
                .param("webhook", webhook.value())
                .query(Integer.class)
                .single()));
  }

  @Override
  public List<WebhookDelivery> deliveries(
      TenantId tenant, WebhookId webhook, @Nullable EventPosition before, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            position(jdbc.sql(DELIVERIES.text()), Objects.requireNonNullElse(before, LAST))
                .param("tenant", tenant.value())
                .param("webhook", webhook.value())
                .param("limit", limit)
                .query(PostgresWebhookStore::delivery)
                .list());
  }

  @Override
  public void replace(
      TenantId tenant, List<WebhookDelivery> removed, List<WebhookDelivery> written) {
    transactions.runInTenant(
        tenant,
        () -> {
          write(tenant, removed, written);
        });
  }

  private void write(
      TenantId tenant, List<WebhookDelivery> removed, List<WebhookDelivery> written) {
    for (WebhookDelivery gone : removed) {
      int _ =
          position(jdbc.sql(DELETE_DELIVERY.text()), gone.position())
              .param("webhook", gone.webhook().value())
              .update();
    }
    for (WebhookDelivery each : written) {
      int _ =
          position(jdbc.sql(PUT_DELIVERY.text()), each.position())
              .param("webhook", each.webhook().value())
              .param("tenant", tenant.value())
              .param("kind", each.subject().kind().name())
              .param("subject", each.subject().id())
              .param("type", each.type())
              .param("eventAt", time(each.eventAt()), TIMESTAMP)
              .param("attempts", each.attempts())
              .param("firstAt", time(each.firstAt()), TIMESTAMP)
              .param("nextAt", time(each.nextAt()), TIMESTAMP)
              .param("dead", each.dead())
              .param("status", each.answer().status())
              .param("text", each.answer().text())
              .update();
    }
  }

  @Override
  public int forget(Instant before, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FORGET.text())
            .param("before", time(before), TIMESTAMP)
            .param("limit", limit)
            .update());
  }

  private static EventPosition position(ResultSet row) throws SQLException {
    return new EventPosition(row.getLong("transaction"), row.getLong("sequence"));
  }

  private static WebhookState state(ResultSet row, int number) throws SQLException {
    return WebhookStateBuilder.builder()
        .id(new WebhookId(Columns.uuid(row, "id")))
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .document(Columns.text(row, "document"))
        .status(Columns.value(row, "status", WebhookStatus.class))
        .reason(Columns.text(row, "reason"))
        .position(position(row))
        .secrets(
            new WebhookState.Secrets(
                row.getInt("secret_version"), Columns.instantOrNull(row, "previous_until")))
        .health(
            new WebhookState.Health(
                row.getInt("failures"),
                Columns.instantOrNull(row, "failing_since"),
                Columns.instant(row, "next_at"),
                row.getLong("delivered"),
                Columns.instantOrNull(row, "delivered_at")))
        .epoch(row.getLong("epoch"))
        .build();
  }

  private static WebhookDelivery delivery(ResultSet row, int number) throws SQLException {
    return WebhookDeliveryBuilder.builder()
        .webhook(new WebhookId(Columns.uuid(row, "webhook")))
        .subject(
            new WebhookDelivery.Subject(
                Columns.value(row, "subject_kind", IdKind.class), Columns.uuid(row, "subject")))
        .position(position(row))
        .type(Columns.text(row, "type"))
        .eventAt(Columns.instant(row, "event_at"))
        .attempts(row.getInt("attempts"))
        .firstAt(Columns.instant(row, "first_at"))
        .nextAt(Columns.instant(row, "next_at"))
        .dead(row.getBoolean("dead"))
        .answer(
            new WebhookAnswer(row.getInt("answer_status"), Columns.text(row, "answer_text"), null))
        .build();
  }
}
