package dev.fairlead.money.efficiency.postgres;

import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyBuilder;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleAttempt;
import dev.fairlead.money.efficiency.IdleAttemptBuilder;
import dev.fairlead.money.efficiency.ReclaimedSum;
import dev.fairlead.money.efficiency.SampledAttempt;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresEfficiencyStore implements EfficiencyStore {
  private static final SqlFile RUNNING = SqlFile.named("efficiency/running");
  private static final SqlFile WRITE = SqlFile.named("efficiency/write");
  private static final SqlFile OF = SqlFile.named("efficiency/of-attempts");

  private static final SqlFile IDLE = SqlFile.named("efficiency/idle");
  private static final SqlFile SAVED = SqlFile.named("efficiency/saved");

  private final Transactions transactions;
  private final PoolStore pools;
  private final JdbcClient jdbc;

  PostgresEfficiencyStore(Transactions transactions, PoolStore pools, JdbcClient jdbc) {
    this.transactions = transactions;
    this.pools = pools;
    this.jdbc = jdbc;
  }

  @Override
  public Instant now() {
    return pools.now();
  }

  @Override
  public List<SampledAttempt> running(ClusterId cluster, Collection<AttemptId> attempts) {
    return transactions.forAllTenants(() ->
        jdbc.sql(RUNNING.text())
            .param("cluster", cluster.value())
            .param("ids", ids(attempts))
            .query((row, n) -> sampled(row))
            .list());
  }

  private static SampledAttempt sampled(ResultSet row) throws SQLException {
    AttemptId attempt = new AttemptId(Columns.uuid(row, "id"));
    JobId job = new JobId(Columns.uuid(row, "job"));
    TenantId tenant = new TenantId(Columns.uuid(row, "tenant"));
    TreeSet<String> pods = new TreeSet<>();
    for (String key : (String[]) row.getArray("keys").getArray()) {
      pods.add(ObjectNames.attempt(attempt) + "-" + key);
    }
    Instant before = Columns.instantOrNull(row, "sampled_at");
    return new SampledAttempt(
        attempt,
        job,
        tenant,
        Columns.text(row, "namespace"),
        pods,
        Json.readOrNull(row.getString("idle_policy"), IdlePolicy.class),
        before == null ? null : efficiency(row, attempt, job, tenant));
  }

  @Override
  public void write(Collection<Efficiency> rows) {
    RowBatch batch = new RowBatch();
    for (Efficiency row : rows) {
      batch
          .row()
          .set("attempt", row.attempt().value())
          .set("job", row.job().value())
          .set("tenant", row.tenant().value())
          .set("samples", row.samples())
          .set("mean", row.mean())
          .set("last", row.last())
          .set("memory_peak_mib", row.memoryPeakMib())
          .set("joules", row.joules())
          .set("idle_since", row.idleSince())
          .set("since", row.since())
          .set("sampled_at", row.sampledAt())
          .set("warned_at", row.warnedAt())
          .set("warned_reclaim_ms", foretold(row))
          .set("reclaimed", row.reclaimed() == null ? null : Json.write(row.reclaimed()));
    }
    if (!batch.isEmpty()) {
      int _ =
          transactions.forAllTenants(
              () -> jdbc.sql(WRITE.text()).param("rows", batch.json()).update());
    }
  }

  @Override
  public List<Efficiency> of(TenantId tenant, Collection<AttemptId> attempts) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(OF.text())
                .param("tenant", tenant.value())
                .param("ids", ids(attempts))
                .query((row, n) ->
                    efficiency(
                        row,
                        new AttemptId(Columns.uuid(row, "attempt")),
                        new JobId(Columns.uuid(row, "job")),
                        tenant))
                .list());
  }

  @Override
  public List<IdleAttempt> idle(
      TenantId tenant, @Nullable Collection<ProjectId> projects, int most) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(IDLE.text())
                .param("tenant", tenant.value())
                .param(
                    "projects",
                    projects == null
                        ? null
                        : Json.ids(projects.stream().map(ProjectId::value).toList()))
                .param("most", most)
                .query((row, n) ->
                    IdleAttemptBuilder.builder()
                        .efficiency(
                            efficiency(
                                row,
                                new AttemptId(Columns.uuid(row, "attempt")),
                                new JobId(Columns.uuid(row, "job")),
                                tenant))
                        .job(Columns.text(row, "name"))
                        .project(Columns.text(row, "project"))
                        .user(Columns.text(row, "submitted_by"))
                        .element(row.getInt("element"))
                        .number(row.getInt("number"))
                        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
                        .gpuMilli(row.getLong("gpu_milli"))
                        .build())
                .list());
  }

  @Override
  public ReclaimedSum reclaimed(TenantId tenant) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(SAVED.text())
                .param("tenant", tenant.value())
                .query((row, n) ->
                    new ReclaimedSum(
                        row.getLong("attempts"), row.getDouble("idle"), row.getDouble("returned")))
                .single());
  }

  private static String ids(Collection<AttemptId> attempts) {
    return Json.ids(attempts.stream().map(AttemptId::value).toList());
  }

  private static Efficiency efficiency(ResultSet row, AttemptId attempt, JobId job, TenantId tenant)
      throws SQLException {
    return EfficiencyBuilder.builder()
        .attempt(attempt)
        .job(job)
        .tenant(tenant)
        .samples(row.getLong("samples"))
        .mean(row.getDouble("mean"))
        .last(row.getDouble("last"))
        .memoryPeakMib(longOrNull(row, "memory_peak_mib"))
        .joules(doubleOrNull(row))
        .idleSince(Columns.instantOrNull(row, "idle_since"))
        .since(Columns.instant(row, "since"))
        .sampledAt(Columns.instant(row, "sampled_at"))
        .warning(warning(row))
        .reclaimed(Json.readOrNull(row.getString("reclaimed"), Efficiency.Reclaimed.class))
        .build();
  }

  private static @Nullable Long foretold(Efficiency row) {
    Efficiency.Warning warning = row.warning();
    Duration reclaim = warning == null ? null : warning.reclaimAfter();
    return reclaim == null ? null : (Long) reclaim.toMillis();
  }

  private static Efficiency.@Nullable Warning warning(ResultSet row) throws SQLException {
    Instant at = Columns.instantOrNull(row, "warned_at");
    Long reclaim = longOrNull(row, "warned_reclaim_ms");
    return at == null
        ? null
        : new Efficiency.Warning(at, reclaim == null ? null : Duration.ofMillis(reclaim));
  }

  private static @Nullable Long longOrNull(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? null : value;
  }

  private static @Nullable Double doubleOrNull(ResultSet row) throws SQLException {
    double joules = row.getDouble("joules");
    return row.wasNull() ? null : joules;
  }
}
