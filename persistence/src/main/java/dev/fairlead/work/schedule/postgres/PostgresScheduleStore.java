package dev.fairlead.work.schedule.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.schedule.ScheduleId;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleRunBuilder;
import dev.fairlead.work.schedule.ScheduleState;
import dev.fairlead.work.schedule.ScheduleStateBuilder;
import dev.fairlead.work.schedule.ScheduleStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Component;

@Component
class PostgresScheduleStore implements ScheduleStore {
  private static final SqlFile DUE = SqlFile.named("schedule/due");
  private static final SqlFile ALL = SqlFile.named("schedule/schedules");
  private static final SqlFile FIND = SqlFile.named("schedule/schedule");
  private static final SqlFile LOCK = SqlFile.named("schedule/lock-schedule");
  private static final SqlFile INSERT = SqlFile.named("schedule/insert-schedule");
  private static final SqlFile UPDATE = SqlFile.named("schedule/update-schedule");
  private static final SqlFile INSERT_RUN = SqlFile.named("schedule/insert-run");
  private static final SqlFile RUNS = SqlFile.named("schedule/runs");
  private static final SqlFile JOBS = SqlFile.named("schedule/jobs");
  private static final SqlFile FORGET = SqlFile.named("schedule/forget-runs");
  private static final int TIMESTAMP = Types.TIMESTAMP_WITH_TIMEZONE;
  private static final String TENANT = "tenant";
  private static final String SCHEDULE = "schedule";
  private static final String INSTANT = "instant";
  private static final String LIMIT = "limit";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresScheduleStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private <T> T in(TenantId tenant, Supplier<T> work) {
    return transactions.inTenant(tenant, () -> work.get());
  }

  @Override
  public List<ScheduleState> due(Instant now, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DUE.text())
            .param("now", Columns.parameter(now), TIMESTAMP)
            .param(LIMIT, limit)
            .query(PostgresScheduleStore::state)
            .list());
  }

  @Override
  public List<ScheduleState> all(TenantId tenant) {
    return in(
        tenant,
        () ->
            jdbc.sql(ALL.text())
                .param(TENANT, tenant.value())
                .query(PostgresScheduleStore::state)
                .list());
  }

  @Override
  public Optional<ScheduleState> find(TenantId tenant, String document) {
    return one(FIND, tenant, document);
  }

  @Override
  public Optional<ScheduleState> locked(TenantId tenant, String document) {
    return one(LOCK, tenant, document);
  }

  private Optional<ScheduleState> one(SqlFile file, TenantId tenant, String document) {
    return in(
        tenant,
        () ->
            jdbc.sql(file.text())
                .param(TENANT, tenant.value())
                .param("document", document)
                .query(PostgresScheduleStore::state)
                .optional());
  }

  @Override
  public void insert(ScheduleState state) {
    int _ =
        in(
            state.tenant(),
            () ->
                progress(INSERT, state)
                    .param("document", state.document())
                    .param(TENANT, state.tenant().value())
                    .update());
  }

  @Override
  public void update(ScheduleState state) {
    int _ = in(state.tenant(), () -> progress(UPDATE, state).update());
  }

  private StatementSpec progress(SqlFile file, ScheduleState state) {
    return jdbc.sql(file.text())
        .param("id", state.id().value())
        .param("suspended", state.suspended())
        .param("decided", Columns.parameter(state.decided()), TIMESTAMP)
        .param("nextInstant", Columns.parameter(state.nextInstant()), TIMESTAMP)
        .param("nextAt", Columns.parameter(state.nextAt()), TIMESTAMP)
        .param("failures", state.failures())
        .param("decisions", state.decisions());
  }

  @Override
  public void insert(ScheduleRun run) {
    JobId job = run.job();
    transactions.runInTenant(
        run.tenant(),
        () -> {
          Constraints.unique(
              () -> {
                int _ =
                    of(INSERT_RUN, run.tenant(), run.schedule())
                        .param(INSTANT, Columns.parameter(run.instant()), TIMESTAMP)
                        .param("outcome", run.outcome().name())
                        .param("job", job == null ? null : job.value(), Types.OTHER)
                        .param("owner", run.owner())
                        .param("detail", run.detail())
                        .param("instants", run.instants())
                        .param("at", Columns.parameter(run.at()), TIMESTAMP)
                        .update();
              },
              () -> new Conflict(Guard.NAME_TAKEN, run.schedule().text() + " " + run.instant()));
        });
  }

  private StatementSpec of(SqlFile file, TenantId tenant, ScheduleId schedule) {
    return jdbc.sql(file.text()).param(TENANT, tenant.value()).param(SCHEDULE, schedule.value());
  }

  @Override
  public List<ScheduleRun> runs(TenantId tenant, ScheduleId schedule, Instant before, int limit) {
    return in(
        tenant,
        () ->
            of(RUNS, tenant, schedule)
                .param("before", Columns.parameter(before), TIMESTAMP)
                .param(LIMIT, limit)
                .query(PostgresScheduleStore::run)
                .list());
  }

  @Override
  public List<JobId> jobs(TenantId tenant, ScheduleId schedule, int limit) {
    return in(
        tenant,
        () ->
            of(JOBS, tenant, schedule)
                .param(LIMIT, limit)
                .query((row, n) -> new JobId(Columns.uuid(row, "job")))
                .list());
  }

  @Override
  public void forget(TenantId tenant, ScheduleId schedule, int retained) {
    int _ = in(tenant, () -> of(FORGET, tenant, schedule).param("retained", retained).update());
  }

  private static ScheduleState state(ResultSet row, int n) throws SQLException {
    return ScheduleStateBuilder.builder()
        .id(new ScheduleId(Columns.uuid(row, "id")))
        .tenant(new TenantId(Columns.uuid(row, TENANT)))
        .document(Columns.text(row, "document"))
        .suspended(row.getBoolean("suspended"))
        .decided(Columns.instant(row, "decided"))
        .nextInstant(Columns.instantOrNull(row, "next_instant"))
        .nextAt(Columns.instantOrNull(row, "next_at"))
        .failures(row.getInt("failures"))
        .decisions(row.getLong("decisions"))
        .build();
  }

  private static ScheduleRun run(ResultSet row, int n) throws SQLException {
    UUID job = Columns.uuidOrNull(row, "job");
    return ScheduleRunBuilder.builder()
        .schedule(new ScheduleId(Columns.uuid(row, SCHEDULE)))
        .tenant(new TenantId(Columns.uuid(row, TENANT)))
        .instant(Columns.instant(row, INSTANT))
        .outcome(Columns.value(row, "outcome", ScheduleRun.Outcome.class))
        .job(job == null ? null : new JobId(job))
        .owner(Columns.text(row, "owner"))
        .detail(Columns.text(row, "detail"))
        .instants(row.getInt("instants"))
        .at(Columns.instant(row, "at"))
        .build();
  }
}
