package dev.fairlead.work.workdir.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.WorkdirStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

@Component
class PostgresWorkdirStore implements WorkdirStore {
  private static final SqlFile FIND = SqlFile.named("workdir/find");
  private static final SqlFile TOUCH = SqlFile.named("workdir/touch");
  private static final SqlFile LOCK_PROJECT = SqlFile.named("workdir/lock-project");
  private static final SqlFile BEGIN = SqlFile.named("workdir/begin");
  private static final SqlFile COMPLETE = SqlFile.named("workdir/complete");
  private static final SqlFile ABANDON = SqlFile.named("workdir/abandon");
  private static final SqlFile CLAIM = SqlFile.named("workdir/claim");
  private static final SqlFile LOCK_OLD = SqlFile.named("workdir/lock-old");
  private static final SqlFile CONDEMN = SqlFile.named("workdir/condemn");
  private static final SqlFile FORGET = SqlFile.named("workdir/forget");
  private static final String TENANT = "tenant";
  private static final String PROJECT = "project";
  private static final String DIGEST = "digest";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresWorkdirStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public Optional<Workdir> find(TenantId tenant, ProjectId project, String digest) {
    return transactions.inTenant(
        tenant,
        () -> {
          Optional<Workdir> found =
              jdbc.sql(FIND.text())
                  .param(TENANT, tenant.value())
                  .param(PROJECT, project.value())
                  .param(DIGEST, digest)
                  .query((row, n) -> workdir(row))
                  .optional();
          if (!TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            found.ifPresent(one -> update(TOUCH, one.id()));
          }
          return found;
        });
  }

  @Override
  public boolean begin(Workdir upload, long most) {
    return transactions.inTenant(
        upload.tenant(),
        () -> {
          lock(upload);
          return jdbc.sql(BEGIN.text())
                  .param("id", upload.id())
                  .param(TENANT, upload.tenant().value())
                  .param(PROJECT, upload.project().value())
                  .param(DIGEST, upload.digest())
                  .param("bytes", upload.bytes())
                  .param("most", most)
                  .update()
              > 0;
        });
  }

  @Override
  public boolean complete(Workdir upload) {
    return transactions.inTenant(
        upload.tenant(),
        () -> {
          lock(upload);
          return update(COMPLETE, upload.id()) > 0;
        });
  }

  /** Uploads of a project begin and end one after another. */
  private void lock(Workdir upload) {
    jdbc.sql(LOCK_PROJECT.text())
        .param(PROJECT, upload.project().value())
        .query(Boolean.class)
        .single();
  }

  @Override
  public void abandon(Workdir upload) {
    int _ = transactions.inTenant(upload.tenant(), () -> update(ABANDON, upload.id()));
  }

  @Override
  public boolean claim(TenantId tenant, ProjectId project, JobId job, String digest) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(CLAIM.text())
                    .param(TENANT, tenant.value())
                    .param(PROJECT, project.value())
                    .param(DIGEST, digest)
                    .param("job", job.value())
                    .update()
                > 0);
  }

  @Override
  public List<Workdir> condemn(Duration upload, Duration unclaimed, int limit) {
    return transactions.forAllTenants(() -> {
      List<UUID> old =
          jdbc.sql(LOCK_OLD.text())
              .param("upload", upload.toSeconds())
              .param("unclaimed", unclaimed.toSeconds())
              .param("limit", limit)
              .query((row, n) -> Columns.uuid(row, "id"))
              .list();
      return jdbc.sql(CONDEMN.text())
          .param("ids", Json.ids(old))
          .query((row, n) -> workdir(row))
          .list();
    });
  }

  @Override
  public void forget(UUID id) {
    int _ = transactions.forAllTenants(() -> update(FORGET, id));
  }

  private int update(SqlFile statement, UUID id) {
    return jdbc.sql(statement.text()).param("id", id).update();
  }

  private static Workdir workdir(ResultSet row) throws SQLException {
    return new Workdir(
        Columns.uuid(row, "id"),
        new TenantId(Columns.uuid(row, TENANT)),
        new ProjectId(Columns.uuid(row, PROJECT)),
        Columns.text(row, DIGEST),
        row.getLong("bytes"),
        Columns.instant(row, "created_at"));
  }
}
