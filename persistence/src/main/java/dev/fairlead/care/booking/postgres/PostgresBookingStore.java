package dev.fairlead.care.booking.postgres;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.care.booking.BookingStore;
import dev.fairlead.fleet.node.PoolStore;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
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

/** {@link BookingStore} on PostgreSQL. A booking never changes: each is read once. */
@Component
class PostgresBookingStore implements BookingStore {
  private static final SqlFile ENTER = SqlFile.named("booking/enter");
  private static final SqlFile OPEN = SqlFile.named("booking/open");
  private static final SqlFile OPEN_OF_TENANT = SqlFile.named("booking/open-of-tenant");
  private static final SqlFile READ = SqlFile.named("booking/read");
  private static final SqlFile INSERT = SqlFile.named("booking/insert");
  private static final SqlFile LOCK_NODES = SqlFile.named("booking/lock-nodes");
  private static final SqlFile INSERT_NODES = SqlFile.named("booking/insert-nodes");
  private static final SqlFile REMOVE_NODES = SqlFile.named("booking/remove-nodes");
  private static final SqlFile REMOVE = SqlFile.named("booking/remove");
  private static final SqlFile FORGET_NODES = SqlFile.named("booking/forget-nodes");
  private static final SqlFile FORGET = SqlFile.named("booking/forget");
  private static final String STARTS = "starts";
  private static final String ENDS = "ends";
  private static final String NODES = "nodes";

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final PoolStore time;
  private final BelievedTime host;
  private final JdbcClient jdbc;
  private final Map<UUID, Booking> known = new ConcurrentHashMap<>();

  PostgresBookingStore(
      Transactions transactions,
      RowLevelSecurity wall,
      PoolStore time,
      BelievedTime host,
      JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
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
  public List<Booking> open() {
    return transactions.forAllTenants(() -> {
      List<UUID> ids =
          jdbc.sql(OPEN.text()).param("host", host.hostMillis()).query(UUID.class).list();
      known.keySet().retainAll(ids);
      List<UUID> fresh = ids.stream().filter(id -> !known.containsKey(id)).toList();
      Map<UUID, Booking> read = new ConcurrentHashMap<>(known);
      if (!fresh.isEmpty()) {
        jdbc.sql(READ.text())
            .param("ids", Json.ids(fresh))
            .query((row, _) -> booking(row))
            .list()
            .forEach(booking -> read.put(booking.id().value(), booking));
        known.putAll(read);
      }
      return ids.stream().map(read::get).filter(Objects::nonNull).toList();
    });
  }

  @Override
  public List<Booking> open(TenantId tenant, @Nullable List<ProjectId> among) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return jdbc.sql(OPEN_OF_TENANT.text())
          .param("tenant", tenant.value().toString())
          .param("host", host.hostMillis())
          .param(
              "among",
              among == null ? null : Json.ids(among.stream().map(ProjectId::value).toList()))
          .query((row, _) -> booking(row))
          .list();
    });
  }

  @Override
  public Optional<Booking> booking(BookingId id) {
    return transactions.forAllTenants(() ->
        jdbc.sql(READ.text())
            .param("ids", Json.ids(List.of(id.value())))
            .query((row, _) -> booking(row))
            .optional());
  }

  private static Booking booking(ResultSet row) throws SQLException {
    return Json.read(Columns.text(row, "content"), Booking.class);
  }

  @Override
  public void insert(Booking booking) {
    boolean _ =
        transactions.forAllTenants(() -> {
          BookingOwner owner = booking.owner();
          String nodes = Json.ids(booking.nodes().stream().map(node -> node.id().value()).toList());
          int _ =
              jdbc.sql(INSERT.text())
                  .param("id", booking.id().value())
                  .param("tenant", owner == null ? null : owner.tenant().value().toString())
                  .param("project", owner == null ? null : owner.project().value().toString())
                  .param(STARTS, Columns.parameter(booking.start()))
                  .param(ENDS, Columns.parameter(booking.end()))
                  .param("content", Json.write(booking))
                  .update();
          List<UUID> _ = jdbc.sql(LOCK_NODES.text()).param(NODES, nodes).query(UUID.class).list();
          Constraints.exclusive(
              () ->
                  jdbc.sql(INSERT_NODES.text())
                      .param("id", booking.id().value())
                      .param(STARTS, Columns.parameter(booking.start()))
                      .param(ENDS, Columns.parameter(booking.end()))
                      .param(NODES, nodes)
                      .update(),
              () -> new Conflict(Guard.BOOKED, booking.name()));
          return true;
        });
  }

  @Override
  public boolean remove(BookingId id) {
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
