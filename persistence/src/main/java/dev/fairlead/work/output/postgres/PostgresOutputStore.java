package dev.fairlead.work.output.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.output.OutputStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresOutputStore implements OutputStore {
  private static final SqlFile LOCK = SqlFile.named("output/lock");
  private static final SqlFile WRITE = SqlFile.named("output/write");
  private static final SqlFile OF = SqlFile.named("output/of-attempt");
  private static final SqlFile NAMES = SqlFile.named("output/names");
  private static final String TENANT = "tenant";
  private static final String JOB = "job";
  private static final String ATTEMPT = "attempt";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresOutputStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private record Row(AttemptId attempt, boolean live, SortedMap<String, String> outputs) {
    static Row of(ResultSet row) throws SQLException {
      String outputs = row.getString("outputs");
      return new Row(
          new AttemptId(Columns.uuid(row, "id")),
          row.getBoolean("live"),
          outputs == null ? new TreeMap<>() : Json.texts(outputs));
    }
  }

  @Override
  public Optional<SortedMap<String, String>> lock(TenantId tenant, JobId job, AttemptId attempt) {
    return transactions.inTenant(
        tenant,
        () ->
            statement(LOCK, tenant, job, attempt).query((row, n) -> Row.of(row)).list().stream()
                .filter(row -> row.live() && row.attempt().equals(attempt))
                .map(Row::outputs)
                .findFirst());
  }

  @Override
  public void write(
      TenantId tenant, JobId job, AttemptId attempt, SortedMap<String, String> outputs) {
    transactions.runInTenant(
        tenant,
        () -> {
          int _ =
              statement(WRITE, tenant, job, attempt).param("outputs", Json.write(outputs)).update();
        });
  }

  @Override
  public SortedMap<String, String> of(TenantId tenant, JobId job, AttemptId attempt) {
    return transactions.inTenant(
        tenant,
        () ->
            statement(OF, tenant, job, attempt)
                .query((row, n) -> Json.texts(Columns.text(row, "outputs")))
                .optional()
                .orElseGet(TreeMap::new));
  }

  @Override
  public SortedMap<JobId, SortedSet<String>> names(Collection<JobId> jobs) {
    return transactions.forAllTenants(() -> {
      SortedMap<JobId, SortedSet<String>> names = new TreeMap<>();
      jdbc.sql(NAMES.text())
          .param("jobs", Json.ids(jobs.stream().map(JobId::value).toList()))
          .query(row -> {
            names
                .computeIfAbsent(new JobId(Columns.uuid(row, JOB)), job -> new TreeSet<>())
                .add(Columns.text(row, "name"));
          });
      return names;
    });
  }

  private JdbcClient.StatementSpec statement(
      SqlFile file, TenantId tenant, JobId job, AttemptId attempt) {
    return jdbc.sql(file.text())
        .param(TENANT, tenant.value())
        .param(JOB, job.value())
        .param(ATTEMPT, attempt.value());
  }
}
