package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.PreemptionCount;
import dev.fairlead.work.job.postgres.read.DecisionBodies;
import dev.fairlead.work.job.store.DecisionRange;
import dev.fairlead.work.job.store.ExplanationStore;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link ExplanationStore} on PostgreSQL: each class is stored once, regardless of its number of
 * jobs.
 */
@Component
class PostgresExplanationStore implements ExplanationStore {
  private static final SqlFile CLASSES = SqlFile.named("explanation/write-classes");
  private static final SqlFile JOBS = SqlFile.named("explanation/write-job-classes");
  private static final SqlFile EXPECT = SqlFile.named("explanation/write-expected-starts");
  private static final SqlFile OF = SqlFile.named("explanation/explanations-of-jobs");

  private static final Logger LOG = LoggerFactory.getLogger(PostgresExplanationStore.class);
  private static final SqlFile SAVEPOINT = SqlFile.named("explanation/savepoint");
  private static final SqlFile RELEASE = SqlFile.named("explanation/release-savepoint");
  private static final SqlFile UNDO = SqlFile.named("explanation/rollback-to-savepoint");
  private static final SqlFile LOCK = SqlFile.named("explanation/lock-jobs");
  private static final SqlFile DECIDED = SqlFile.named("explanation/insert-decisions");
  private static final SqlFile OLDEST = SqlFile.named("explanation/delete-oldest-decisions");
  private static final SqlFile COUNT = SqlFile.named("explanation/count-preemptions");
  private static final SqlFile COUNTED = SqlFile.named("explanation/preemption-counts");
  private static final SqlFile DECISIONS = SqlFile.named("explanation/decisions-of-job");
  private static final SqlFile RANGE = SqlFile.named("explanation/decisions-of-tenant");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresExplanationStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void put(Map<String, Explanation> classes, Map<JobId, String> jobs) {
    RowBatch bodies = new RowBatch();
    new TreeMap<>(classes)
        .forEach((key, body) ->
            bodies
                .row()
                .set("class_key", key)
                .set("computed_at", body.computedAt())
                .set("body", body));
    RowBatch members = new RowBatch();
    new TreeMap<>(jobs)
        .forEach((job, key) -> members.row().set("job", job.value()).set("class_key", key));
    boolean _ =
        transactions.forAllTenants(() -> {
          if (!bodies.isEmpty()) {
            jdbc.sql(CLASSES.text()).param("rows", bodies.json()).update();
          }
          if (!members.isEmpty()) {
            jdbc.sql(JOBS.text()).param("rows", members.json()).update();
          }
          return true;
        });
  }

  @Override
  public void expect(Map<JobId, ExpectedStart> starts) {
    RowBatch rows = new RowBatch();
    new TreeMap<>(starts)
        .forEach((job, start) -> rows.row().set("job", job.value()).set("expected", start));
    boolean _ =
        starts.isEmpty()
            || transactions.forAllTenants(
                () -> jdbc.sql(EXPECT.text()).param("rows", rows.json()).update() > 0);
  }

  @Override
  public boolean keep(List<DecisionRecord> decisions, List<PreemptionCount> counts) {
    return decisions.isEmpty() && counts.isEmpty()
        || transactions.forAllTenants(() -> kept(decisions, counts));
  }

  private boolean kept(List<DecisionRecord> decisions, List<PreemptionCount> counts) {
    jdbc.sql(SAVEPOINT.text()).update();
    try {
      if (!decisions.isEmpty()) {
        insert(decisions);
      }
      if (!counts.isEmpty()) {
        count(counts);
      }
      jdbc.sql(RELEASE.text()).update();
      return true;
    } catch (RuntimeException failed) {
      jdbc.sql(UNDO.text()).update();
      LOG.warn("dropped {} decisions", decisions.size(), failed);
      return false;
    }
  }

  /** The jobs are locked first, so that no job is deleted while its rows are added. */
  private void insert(List<DecisionRecord> decisions) {
    RowBatch rows = new RowBatch();
    Map<DecisionRecord.Body, String> bodies = new HashMap<>();
    for (DecisionRecord decision : decisions) {
      DecisionRecord.Body body = decision.body();
      rows.row()
          .set("job", decision.job().value())
          .set("at", decision.at())
          .set("kind", body.kind())
          .set("reason", decision.reason())
          .set("begun", body instanceof DecisionRecord.Waited waited && waited.begun())
          .set("body", bodies.computeIfAbsent(body, DecisionBodies::packed));
    }
    String jobs = Json.ids(decisions.stream().map(d -> d.job().value()).distinct().toList());
    List<UUID> _ = jdbc.sql(LOCK.text()).param("ids", jobs).query(UUID.class).list();
    if (jdbc.sql(DECIDED.text()).param("rows", rows.json()).update() > 0) {
      jdbc.sql(OLDEST.text())
          .param("jobs", jobs)
          .param("waits", DecisionRecord.Kind.WAITED.most())
          .param("unreachable", DecisionRecord.Kind.UNREACHABLE.most())
          .param("others", DecisionRecord.Kind.PLACED.most())
          .update();
    }
  }

  private void count(List<PreemptionCount> counts) {
    RowBatch rows = new RowBatch();
    for (PreemptionCount count : counts) {
      PreemptionCount.Of of = count.of();
      rows.row()
          .set("queue", of.queue().value())
          .set("priority", of.priority())
          .set("model", of.flavor().model())
          .set("capacity", of.flavor().capacity())
          .set("evicted_by", of.right())
          .set("times", count.times());
    }
    jdbc.sql(COUNT.text()).param("rows", rows.json()).update();
  }

  @Override
  public List<PreemptionCount> counted(TenantId tenant, QuotaNodeId queue, int priority, int days) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(COUNTED.text())
                .param("tenant", tenant.value())
                .param("queue", queue.value())
                .param("priority", priority)
                .param("days", days)
                .query((row, n) -> counted(queue, priority, row))
                .list());
  }

  private static PreemptionCount counted(QuotaNodeId queue, int priority, ResultSet row)
      throws SQLException {
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    String right = row.getString("evicted_by");
    return new PreemptionCount(
        new PreemptionCount.Of(
            queue, priority, flavor, right == null ? null : EvictionRight.valueOf(right)),
        row.getLong("times"));
  }

  @Override
  public List<DecisionRecord> decisions(TenantId tenant, JobId job) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(DECISIONS.text())
                .param("tenant", tenant.value())
                .param("job", job.value())
                .param("most", DecisionRecord.MOST)
                .query((row, n) -> decision(job, row))
                .list()
                .reversed());
  }

  @Override
  public List<DecisionRange.Row> decided(TenantId tenant, DecisionRange range) {
    DecisionRange.Place after = range.after();
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(RANGE.text())
                .param("tenant", tenant.value())
                .param("since", range.since().toString())
                .param("until", range.until().toString())
                .param("at", after.at().toString())
                .param("job", after.job().value())
                .param("id", after.id())
                .param("most", range.most())
                .query((row, n) -> decided(row))
                .list());
  }

  private static DecisionRange.Row decided(ResultSet row) throws SQLException {
    JobId job = new JobId(Columns.uuid(row, "job"));
    return new DecisionRange.Row(
        new DecisionRange.Place(Columns.instant(row, "at"), job, row.getLong("id")),
        new ProjectId(Columns.uuid(row, "project")),
        Columns.text(row, "name"),
        decision(job, row));
  }

  private static DecisionRecord decision(JobId job, ResultSet row) throws SQLException {
    Instant p50 = Columns.instantOrNull(row, "expected_p50");
    Instant p90 = Columns.instantOrNull(row, "expected_p90");
    return new DecisionRecord(
        job,
        Columns.instant(row, "at"),
        DecisionBodies.unpacked(
            Columns.value(row, "kind", DecisionRecord.Kind.class), row.getBytes("body")),
        p50 == null || p90 == null ? null : new DecisionRecord.Expected(p50, p90));
  }

  @Override
  public Optional<Stored> of(JobId job) {
    return Optional.ofNullable(read(List.of(job)).get(job));
  }

  @Override
  public Map<JobId, Stored> of(TenantId tenant, Collection<JobId> jobs) {
    return transactions.inTenant(tenant, () -> read(jobs));
  }

  private Map<JobId, Stored> read(Collection<JobId> jobs) {
    Map<JobId, Stored> found = new TreeMap<>();
    jdbc.sql(OF.text())
        .param("jobs", Json.ids(jobs.stream().map(JobId::value).toList()))
        .query(row -> {
          Explanation body = Json.read(Columns.text(row, "body"), Explanation.class);
          String expected = row.getString("expected");
          Stored stored =
              new Stored(
                  Columns.text(row, "class_key"),
                  body,
                  Columns.instant(row, "since"),
                  expected == null ? null : Json.read(expected, ExpectedStart.class));
          found.put(new JobId(Columns.uuid(row, "job")), stored);
        });
    return found;
  }
}
