package dev.fairlead.work.progress.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.WatchedAttempt;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresProgressStore implements ProgressStore {
  private static final SqlFile BEGIN = SqlFile.named("progress/begin");
  private static final SqlFile FIND = SqlFile.named("progress/find");
  private static final SqlFile REPORTS = SqlFile.named("progress/reports");
  private static final SqlFile PREDICTED = SqlFile.named("progress/predicted");
  private static final SqlFile CALLED = SqlFile.named("progress/called");
  private static final SqlFile DUE = SqlFile.named("progress/due");
  private static final SqlFile LOOK = SqlFile.named("progress/look");
  private static final SqlFile COUNT_FROM = SqlFile.named("progress/count-from");
  private static final SqlFile REMOVE = SqlFile.named("progress/remove");
  private static final String ATTEMPT = "attempt";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresProgressStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void begin(Collection<WatchedAttempt> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    for (WatchedAttempt each : attempts) {
      rows.row()
          .set(ATTEMPT, each.attempt().value())
          .set("job", each.job().value())
          .set("tenant", each.tenant().value())
          .set("cluster", each.cluster().value())
          .set("timeout_ms", each.timeout().toMillis())
          .set("counts_from", each.from())
          .set("look_at", each.from().plus(each.timeout()));
    }
    int _ = transactions.forAllTenants(jdbc.sql(BEGIN.text()).param("rows", rows.json())::update);
  }

  @Override
  public boolean called(TenantId tenant, AttemptId attempt, Progress progress, Instant now) {
    return transactions.inTenant(
        tenant,
        () -> {
          Stored stored =
              jdbc.sql(FIND.text())
                  .param(ATTEMPT, attempt.value())
                  .param("tenant", tenant.value())
                  .query((row, n) -> stored(row))
                  .optional()
                  .orElse(null);
          if (stored == null) {
            return false;
          }
          Instant before = now.minus(CALLS_EVERY);
          if (stored.due(before, now)) {
            ProgressReport report =
                progress.empty()
                    ? stored.report()
                    : ProgressReport.of(stored.report(), progress, now);
            int _ =
                jdbc.sql(CALLED.text())
                    .param(ATTEMPT, attempt.value())
                    .param("tenant", tenant.value())
                    .param("now", Columns.parameter(now))
                    .param("before", Columns.parameter(before))
                    .param("report", report == null ? null : Json.write(report))
                    .update();
          }
          return true;
        });
  }

  @Override
  public SortedMap<AttemptId, ProgressReport> reports(
      TenantId tenant, Collection<AttemptId> attempts) {
    SortedMap<AttemptId, ProgressReport> found = new TreeMap<>();
    if (attempts.isEmpty()) {
      return found;
    }
    return transactions.inTenant(
        tenant,
        () -> {
          jdbc.sql(REPORTS.text())
              .param("tenant", tenant.value())
              .param("attempts", Json.ids(attempts.stream().map(AttemptId::value).toList()))
              .query(row -> {
                found.put(
                    new AttemptId(Columns.uuid(row, ATTEMPT)),
                    Json.read(Columns.text(row, "report"), ProgressReport.class));
              });
          return found;
        });
  }

  @Override
  public SortedMap<AttemptId, Instant> predictedEnds(Collection<AttemptId> attempts) {
    SortedMap<AttemptId, Instant> ends = new TreeMap<>();
    if (attempts.isEmpty()) {
      return ends;
    }
    return transactions.forAllTenants(() -> {
      jdbc.sql(PREDICTED.text())
          .param("attempts", Json.ids(attempts.stream().map(AttemptId::value).toList()))
          .query(row -> {
            Instant end = Json.read(Columns.text(row, "report"), ProgressReport.class).predicted();
            if (end != null) {
              ends.put(new AttemptId(Columns.uuid(row, ATTEMPT)), end);
            }
          });
      return ends;
    });
  }

  /** The last call of an attempt, null before the first, and its last report. */
  private record Stored(@Nullable Instant calledAt, @Nullable ProgressReport report) {
    /** A time after now is from before the clock of the database was set back. */
    boolean due(Instant before, Instant now) {
      return calledAt == null || calledAt.isBefore(before) || calledAt.isAfter(now);
    }
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        Columns.instantOrNull(row, "called_at"),
        Json.readOrNull(row.getString("report"), ProgressReport.class));
  }

  @Override
  public List<WatchedAttempt> due(Instant now, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DUE.text())
            .param("now", Columns.parameter(now))
            .param("most", most)
            .query((row, n) -> watched(row))
            .list());
  }

  @Override
  public void look(AttemptId attempt, Instant from, Instant at) {
    int _ =
        transactions.forAllTenants(
            jdbc.sql(LOOK.text())
                    .param(ATTEMPT, attempt.value())
                    .param("from", Columns.parameter(from))
                    .param("at", Columns.parameter(at))
                ::update);
  }

  @Override
  public void countFrom(Collection<AttemptId> attempts, Instant from) {
    if (attempts.isEmpty()) {
      return;
    }
    int _ =
        transactions.forAllTenants(
            jdbc.sql(COUNT_FROM.text())
                    .param("attempts", attempts.stream().map(AttemptId::value).toArray(UUID[]::new))
                    .param("from", Columns.parameter(from))
                ::update);
  }

  @Override
  public boolean remove(WatchedAttempt seen) {
    return transactions.forAllTenants(
            jdbc.sql(REMOVE.text())
                    .param(ATTEMPT, seen.attempt().value())
                    .param("called", Columns.parameter(seen.calledAt()))
                ::update)
        > 0;
  }

  private static WatchedAttempt watched(ResultSet row) throws SQLException {
    return new WatchedAttempt(
        new AttemptId(Columns.uuid(row, ATTEMPT)),
        new JobId(Columns.uuid(row, "job")),
        new TenantId(Columns.uuid(row, "tenant")),
        new ClusterId(Columns.uuid(row, "cluster")),
        Duration.ofMillis(row.getLong("timeout_ms")),
        Columns.instant(row, "counts_from"),
        Columns.instantOrNull(row, "called_at"));
  }
}
