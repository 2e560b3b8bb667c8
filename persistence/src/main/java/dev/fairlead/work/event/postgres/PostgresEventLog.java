package dev.fairlead.work.event.postgres;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventContext;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.EventRecordBuilder;
import dev.fairlead.work.event.EventSlice;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.FleetEvents;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

/**
 * {@link EventLog} on PostgreSQL. A position's transaction is the installation's incarnation in the
 * high 16 bits and the 64-bit transaction id in the low 48, so that positions increase even across
 * a restored backup. A reader stops below the oldest running transaction. A sequence number is
 * assigned when a row is written and visible when it is committed, so the order of numbers would
 * skip a late commit. A row has the facts of one change, with consecutive sequence numbers that
 * start with its own.
 */
@Component
class PostgresEventLog implements EventLog {
  private static final SqlFile AFTER = SqlFile.named("event/events-after");
  private static final SqlFile FIND = SqlFile.named("event/events-found");
  private static final SqlFile OF = SqlFile.named("event/events-of-subject");
  private static final SqlFile OLDEST = SqlFile.named("event/event-oldest");
  private static final SqlFile FLOOR = SqlFile.named("event/event-floor");
  private static final SqlFile FIRST_SINCE = SqlFile.named("event/first-event-since");
  private static final SqlFile HEAD = SqlFile.named("event/event-head");
  private static final int XID_BITS = 48;
  private static final long XID_MASK = (1L << XID_BITS) - 1;

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresEventLog(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<EventRecord> after(EventPosition position, int limit) {
    return transactions.forAllTenants(() ->
        behind(jdbc.sql(AFTER.text()), position)
            .param("limit", limit)
            .query(PostgresEventLog::event)
            .list());
  }

  @Override
  public EventSlice find(EventFilter filter, EventPosition after, int limit, int most) {
    List<ProjectId> projects = filter.projects();
    List<Found> rows =
        transactions.forAllTenants(() ->
            behind(jdbc.sql(FIND.text()), after)
                .param("tenant", filter.tenant().value())
                .param("everyProject", projects == null)
                .param(
                    "projects",
                    Json.ids(
                        projects == null
                            ? List.of()
                            : projects.stream().map(ProjectId::value).toList()))
                .param("job", filter.job() == null ? null : filter.job().toString())
                .param("anyType", filter.types().isEmpty())
                .param("types", filter.types().isEmpty() ? List.of("") : filter.types())
                .param("fleet", filter.fleet())
                .param("all", FleetEvents.FLEET.value())
                .param("anyPlace", filter.place().isEmpty())
                .param("place", Json.write(filter.contained()))
                .param("limit", limit)
                .param("most", most)
                .query(PostgresEventLog::found)
                .list());
    List<EventRecord> events = rows.stream().flatMap(r -> r.event().stream()).toList();
    if (events.size() == limit) {
      return new EventSlice(events, events.getLast().position());
    }
    boolean more = !rows.isEmpty() && rows.getFirst().looked() == most;
    return new EventSlice(events, more ? rows.getFirst().last() : null);
  }

  /**
   * A row of {@code events-found}.
   *
   * @param last last checked position
   */
  private record Found(Optional<EventRecord> event, EventPosition last, int looked) {}

  private static Found found(ResultSet row, int number) throws SQLException {
    EventPosition last =
        new EventPosition(
            (row.getLong("last_incarnation") << XID_BITS) | row.getLong("last_xid"),
            row.getLong("last_seq"));
    boolean none = row.getObject("seq") == null;
    return new Found(
        none ? Optional.empty() : Optional.of(event(row, number)), last, row.getInt("looked"));
  }

  @Override
  public List<EventRecord> of(
      TenantId tenant, IdKind subject, UUID id, EventPosition after, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            behind(jdbc.sql(OF.text()), after)
                .param("tenant", tenant.value())
                .param("kind", subject.name())
                .param("subject", id)
                .param("limit", limit)
                .query(PostgresEventLog::event)
                .list());
  }

  @Override
  public Optional<EventPosition> oldest() {
    return transactions.forAllTenants(
        () -> jdbc.sql(OLDEST.text()).query((row, n) -> position(row)).optional());
  }

  @Override
  public EventPosition floor() {
    return transactions.forAllTenants(
        () -> jdbc.sql(FLOOR.text()).query((row, n) -> position(row)).single());
  }

  @Override
  public Optional<EventPosition> firstSince(Instant time) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FIRST_SINCE.text())
            .param("since", time.atOffset(ZoneOffset.UTC))
            .query((row, n) -> position(row))
            .optional());
  }

  @Override
  public EventPosition head() {
    return transactions
        .forAllTenants(() -> jdbc.sql(HEAD.text()).query((row, n) -> position(row)).optional())
        .orElse(EventPosition.START);
  }

  private static JdbcClient.StatementSpec behind(
      JdbcClient.StatementSpec statement, EventPosition position) {
    return statement
        .param("incarnation", (int) (position.transaction() >>> XID_BITS))
        .param("xid", Long.toString(position.transaction() & XID_MASK))
        .param("seq", position.sequence());
  }

  private static EventPosition position(ResultSet row) throws SQLException {
    return new EventPosition(
        (row.getLong("incarnation") << XID_BITS) | row.getLong("xid"), row.getLong("seq"));
  }

  private static EventRecord event(ResultSet row, int number) throws SQLException {
    UUID project = Columns.uuidOrNull(row, "project");
    return EventRecordBuilder.builder()
        .position(position(row))
        .at(Columns.instant(row, "at"))
        .fact(new Fact(Columns.text(row, "type"), Json.object(Columns.text(row, "data"))))
        .subject(Columns.value(row, "subject_kind", IdKind.class))
        .subjectId(Columns.uuid(row, "subject"))
        .version(row.getLong("version"))
        .actor(Columns.text(row, "actor"))
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .project(project == null ? null : new ProjectId(project))
        .context(context(row.getString("context")))
        .build();
  }

  /** An array in the order of the columns of the statement that inserts events. */
  private static @Nullable EventContext context(@Nullable String array) {
    if (array == null) {
      return null;
    }
    JsonNode context = Json.read(array, JsonNode.class);
    return new EventContext(
        context.path(0).asString(),
        context.path(1).asString(),
        context.path(4).asString(),
        context.path(5).stringValueOpt().orElse(null),
        context.path(2).valueStream().map(JsonNode::asString).toList(),
        context.path(3).asInt());
  }
}
