package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.Reservation.Kind;
import dev.fairlead.work.attempt.ReservationBuilder;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.attempt.member.Member;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;

@Component
class PostgresReservationStore implements ReservationStore {
  private static final SqlFile ALL = SqlFile.named("reservation/reservations");
  private static final SqlFile WRITE = SqlFile.named("reservation/write-reservations");
  private static final SqlFile REMOVE = SqlFile.named("reservation/remove-reservations");
  private static final TypeReference<List<UUID>> IDS = new TypeReference<>() {};

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresReservationStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<Reservation> all() {
    return transactions.forAllTenants(
        () -> jdbc.sql(ALL.text()).query((row, number) -> reservation(row)).list());
  }

  @Override
  public void put(Collection<Reservation> reservations) {
    if (reservations.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    for (Reservation r : reservations) {
      rows.row()
          .set("job", r.job().value())
          .set("element", r.element())
          .set("kind", stored(r.kind()))
          .set("preflight", r.kind() == Kind.PREFLIGHT)
          .set("cluster", r.cluster().value())
          .set("members", r.members().stream().map(Json::flat).toList())
          .set("victims", r.victims().stream().map(AttemptId::value).toList())
          .set("created_at", r.createdAt())
          .set("starts_at", r.startsAt())
          .set("expires_at", r.expiresAt());
    }
    run(WRITE, rows);
  }

  @Override
  public void remove(Collection<Reservation> seen) {
    if (seen.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    for (Reservation r : seen) {
      rows.row()
          .set("job", r.job().value())
          .set("element", r.element())
          .set("kind", stored(r.kind()))
          .set("preflight", r.kind() == Kind.PREFLIGHT)
          .set("created_at", r.createdAt())
          .set("expires_at", r.expiresAt());
    }
    run(REMOVE, rows);
  }

  private void run(SqlFile statement, RowBatch rows) {
    int _ =
        transactions.forAllTenants(
            () -> jdbc.sql(statement.text()).param("rows", rows.json()).update());
  }

  /**
   * During an upgrade, an earlier version of the scheduler starts a job on such a reservation
   * without the test.
   */
  private static Kind stored(Kind kind) {
    return kind == Kind.PREFLIGHT ? Kind.FAULT : kind;
  }

  private static Kind read(ResultSet row) throws SQLException {
    Kind stored = Columns.value(row, "kind", Kind.class);
    return stored == Kind.FAULT && row.getBoolean("preflight") ? Kind.PREFLIGHT : stored;
  }

  private static Reservation reservation(ResultSet row) throws SQLException {
    return ReservationBuilder.builder()
        .job(new JobId(Columns.uuid(row, "job")))
        .element(row.getInt("element"))
        .kind(read(row))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .members(Json.readFlatList(Columns.text(row, "members"), Member.class))
        .victims(Json.read(Columns.text(row, "victims"), IDS).stream().map(AttemptId::new).toList())
        .createdAt(Columns.instant(row, "created_at"))
        .startsAt(Columns.instantOrNull(row, "starts_at"))
        .expiresAt(Columns.instant(row, "expires_at"))
        .build();
  }
}
