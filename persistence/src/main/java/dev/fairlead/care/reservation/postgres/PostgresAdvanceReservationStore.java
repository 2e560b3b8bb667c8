package dev.fairlead.care.reservation.postgres;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link AdvanceReservationStore} on PostgreSQL. An advance reservation never changes: each is read
 * once.
 */
@Component
class PostgresAdvanceReservationStore implements AdvanceReservationStore {
  private static final SqlFile ENTER = SqlFile.named("advance-reservation/enter");
  private static final SqlFile OPEN = SqlFile.named("advance-reservation/open");
  private static final SqlFile OPEN_OF_TENANT = SqlFile.named("advance-reservation/open-of-tenant");
  private static final SqlFile READ = SqlFile.named("advance-reservation/read");
  private static final SqlFile INSERT = SqlFile.named("advance-reservation/insert");
  private static final SqlFile LOCK_NODES = SqlFile.named("advance-reservation/lock-nodes");
  private static final SqlFile INSERT_NODES = SqlFile.named("advance-reservation/insert-nodes");
  private static final SqlFile REMOVE_NODES = SqlFile.named("advance-reservation/remove-nodes");
  private static final SqlFile REMOVE = SqlFile.named("advance-reservation/remove");
  private static final SqlFile FORGET_NODES = SqlFile.named("advance-reservation/forget-nodes");
  private static final SqlFile FORGET = SqlFile.named("advance-reservation/forget");
  private static final String STARTS = "starts";
  private static final String ENDS = "ends";
  private static final String NODES = "nodes";

  private final Transactions transactions;
  private final PoolStore time;
  private final BelievedTime host;
  private final JdbcClient jdbc;
  private final Map<UUID, AdvanceReservation> known = new ConcurrentHashMap<>();

  PostgresAdvanceReservationStore(
      Transactions transactions, PoolStore time, BelievedTime host, JdbcClient jdbc) {
    this.transactions = transactions;
    this.time = time;
    this.host = host;
    this.jdbc = jdbc;
  }

  @Override
  public Instant now() {
    return time.now();
  }

  @Override
  public void enter() {
    Boolean _ = jdbc.sql(ENTER.text()).query(Boolean.class).single();
  }

  @Override
  public List<AdvanceReservation> open() {
    return transactions.forAllTenants(() -> {
      List<UUID> ids =
          jdbc.sql(OPEN.text()).param("host", host.hostMillis()).query(UUID.class).list();
      known.keySet().retainAll(ids);
      List<UUID> fresh = ids.stream().filter(id -> !known.containsKey(id)).toList();
      Map<UUID, AdvanceReservation> read = new ConcurrentHashMap<>(known);
      if (!fresh.isEmpty()) {
        jdbc.sql(READ.text())
            .param("ids", Json.ids(fresh))
            .query((row, _) -> advanceReservation(row))
            .list()
            .forEach(advanceReservation ->
                read.put(advanceReservation.id().value(), advanceReservation));
        known.putAll(read);
      }
      return ids.stream().map(read::get).filter(Objects::nonNull).toList();
    });
  }

  @Override
  public List<AdvanceReservation> open(TenantId tenant, @Nullable List<ProjectId> among) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(OPEN_OF_TENANT.text())
                .param("tenant", tenant.value().toString())
                .param("host", host.hostMillis())
                .param(
                    "among",
                    among == null ? null : Json.ids(among.stream().map(ProjectId::value).toList()))
                .query((row, _) -> advanceReservation(row))
                .list());
  }

  @Override
  public Optional<AdvanceReservation> advanceReservation(AdvanceReservationId id) {
    return transactions.forAllTenants(() ->
        jdbc.sql(READ.text())
            .param("ids", Json.ids(List.of(id.value())))
            .query((row, _) -> advanceReservation(row))
            .optional());
  }

  private static AdvanceReservation advanceReservation(ResultSet row) throws SQLException {
    return Json.read(Columns.text(row, "content"), AdvanceReservation.class);
  }

  @Override
  public void insert(AdvanceReservation advanceReservation) {
    boolean _ =
        transactions.forAllTenants(() -> {
          AdvanceReservationOwner owner = advanceReservation.owner();
          String nodes =
              Json.ids(advanceReservation.nodes().stream().map(node -> node.id().value()).toList());
          int _ =
              jdbc.sql(INSERT.text())
                  .param("id", advanceReservation.id().value())
                  .param("tenant", owner == null ? null : owner.tenant().value().toString())
                  .param("project", owner == null ? null : owner.project().value().toString())
                  .param(STARTS, Columns.parameter(advanceReservation.start()))
                  .param(ENDS, Columns.parameter(advanceReservation.end()))
                  .param("content", Json.write(advanceReservation))
                  .update();
          List<UUID> _ = jdbc.sql(LOCK_NODES.text()).param(NODES, nodes).query(UUID.class).list();
          Constraints.exclusive(
              () ->
                  jdbc.sql(INSERT_NODES.text())
                      .param("id", advanceReservation.id().value())
                      .param(STARTS, Columns.parameter(advanceReservation.start()))
                      .param(ENDS, Columns.parameter(advanceReservation.end()))
                      .param(NODES, nodes)
                      .update(),
              () -> new Conflict(Guard.BOOKED, advanceReservation.name()));
          return true;
        });
  }

  @Override
  public boolean remove(AdvanceReservationId id) {
    return transactions.forAllTenants(() -> {
      int _ = jdbc.sql(REMOVE_NODES.text()).param("id", id.value()).update();
      return jdbc.sql(REMOVE.text()).param("id", id.value()).update() > 0;
    });
  }

  @Override
  public void forget(Instant endedBefore) {
    boolean _ =
        transactions.forAllTenants(() -> {
          int _ =
              jdbc.sql(FORGET_NODES.text())
                  .param("before", Columns.parameter(endedBefore))
                  .update();
          return jdbc.sql(FORGET.text()).param("before", Columns.parameter(endedBefore)).update()
              > 0;
        });
  }
}
