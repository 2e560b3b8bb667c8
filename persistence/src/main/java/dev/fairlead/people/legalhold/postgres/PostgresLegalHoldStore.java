package dev.fairlead.people.legalhold.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.legalhold.LegalHold;
import dev.fairlead.people.legalhold.LegalHoldBuilder;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresLegalHoldStore implements LegalHoldStore {
  private static final SqlFile HOLDS = SqlFile.named("legalhold/holds");
  private static final SqlFile LOCK = SqlFile.named("legalhold/lock");
  private static final SqlFile LOCK_SHARED = SqlFile.named("legalhold/lock-shared");
  private static final SqlFile PUT = SqlFile.named("legalhold/put-hold");
  private static final SqlFile DELETE = SqlFile.named("legalhold/delete-hold");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresLegalHoldStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private <T> T of(TenantId tenant, SqlFile file, Function<JdbcClient.StatementSpec, T> work) {
    return transactions.inTenant(
        tenant, () -> work.apply(jdbc.sql(file.text()).param("tenant", tenant.value())));
  }

  @Override
  public List<LegalHold> all(TenantId tenant) {
    return of(tenant, HOLDS, holds -> holds.query((row, n) -> hold(tenant, row)).list());
  }

  @Override
  public List<LegalHold> inForce(TenantId tenant) {
    return behind(LOCK_SHARED, tenant);
  }

  @Override
  public List<LegalHold> locked(TenantId tenant) {
    return behind(LOCK, tenant);
  }

  /** A separate statement after the lock, so that it sees the state at the time of the lock. */
  private List<LegalHold> behind(SqlFile lock, TenantId tenant) {
    boolean _ = of(tenant, lock, waited -> waited.query(Boolean.class).single());
    return all(tenant);
  }

  private static LegalHold hold(TenantId tenant, ResultSet row) throws SQLException {
    UUID project = row.getObject("project", UUID.class);
    UUID job = row.getObject("job", UUID.class);
    return LegalHoldBuilder.builder()
        .tenant(tenant)
        .name(Columns.text(row, "name"))
        .reason(Columns.text(row, "reason"))
        .project(project == null ? null : new ProjectId(project))
        .job(job == null ? null : new JobId(job))
        .from(Columns.instantOrNull(row, "from_at"))
        .to(Columns.instantOrNull(row, "to_at"))
        .changed(
            new LegalHold.Change(
                Columns.instant(row, "changed_at"), Columns.text(row, "changed_by")))
        .build();
  }

  @Override
  public void put(LegalHold hold) {
    ProjectId project = hold.project();
    JobId job = hold.job();
    int _ =
        of(
            hold.tenant(),
            PUT,
            put ->
                put.param("name", hold.name())
                    .param("reason", hold.reason())
                    .param("project", project == null ? null : text(project.value()), Types.VARCHAR)
                    .param("job", job == null ? null : text(job.value()), Types.VARCHAR)
                    .param("from", time(hold.from()), Types.VARCHAR)
                    .param("to", time(hold.to()), Types.VARCHAR)
                    .param("changedAt", hold.changed().at().toString())
                    .param("changedBy", hold.changed().by())
                    .update());
  }

  private static String text(UUID id) {
    return id.toString();
  }

  private static @Nullable String time(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }

  @Override
  public void remove(LegalHold hold) {
    int _ = of(hold.tenant(), DELETE, delete -> delete.param("name", hold.name()).update());
  }
}
