package dev.fairlead.front.postgres;

import dev.fairlead.front.FrontBreaker;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontJobBuilder;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresFrontStore implements FrontStore {
  private static final SqlFile NAMESPACES = SqlFile.named("front/namespaces");
  private static final SqlFile PUT_NAMESPACE = SqlFile.named("front/put-namespace");
  private static final SqlFile REMOVE_NAMESPACE = SqlFile.named("front/remove-namespace");
  private static final SqlFile TELL = SqlFile.named("front/tell");
  private static final SqlFile TROUBLES = SqlFile.named("front/troubles");
  private static final SqlFile COUNTS = SqlFile.named("front/counts");
  private static final SqlFile TAKEN = SqlFile.named("front/taken");
  private static final SqlFile FIND = SqlFile.named("front/find");
  private static final SqlFile MOVED = SqlFile.named("front/moved");
  private static final SqlFile INSERT_JOBS = SqlFile.named("front/insert-jobs");
  private static final SqlFile UPDATE_JOBS = SqlFile.named("front/update-jobs");
  private static final SqlFile SHOWN = SqlFile.named("front/shown");
  private static final SqlFile REMOVE_JOBS = SqlFile.named("front/remove-jobs");
  private static final SqlFile BREAKERS = SqlFile.named("front/breakers");
  private static final SqlFile MARK_MISSING = SqlFile.named("front/mark-missing");
  private static final SqlFile CONFIRM_LOSS = SqlFile.named("front/confirm-loss");
  private static final SqlFile CONFIRMED = SqlFile.named("front/confirmed");
  private static final String CLUSTER = "cluster";
  private static final String NAMESPACE = "namespace";
  private static final String TENANT = "tenant";
  private static final String PROJECT = "project";
  private static final String TROUBLE = "trouble";
  private static final String UID = "uid";
  private static final String SUSPENDED = "suspended";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresFrontStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<FrontNamespace> namespaces() {
    return namespacesOf(null);
  }

  @Override
  public List<FrontNamespace> namespaces(ClusterId cluster) {
    return namespacesOf(cluster.value());
  }

  private List<FrontNamespace> namespacesOf(@Nullable UUID cluster) {
    return transactions.forAllTenants(() ->
        jdbc.sql(NAMESPACES.text())
            .param(CLUSTER, cluster, Types.OTHER)
            .query((row, n) ->
                new FrontNamespace(
                    new ClusterId(Columns.uuid(row, CLUSTER)),
                    Columns.text(row, NAMESPACE),
                    new TenantId(Columns.uuid(row, TENANT)),
                    new ProjectId(Columns.uuid(row, PROJECT)),
                    Columns.text(row, "mapped_by"),
                    Columns.instant(row, "mapped_at")))
            .list());
  }

  @Override
  public void put(FrontNamespace namespace) {
    int _ =
        transactions.forAllTenants(
            of(PUT_NAMESPACE, namespace.cluster())
                    .param(NAMESPACE, namespace.namespace())
                    .param(TENANT, namespace.tenant().value())
                    .param(PROJECT, namespace.project().value())
                    .param("mappedBy", namespace.by())
                    .param("mappedAt", Columns.parameter(namespace.mappedAt()))
                ::update);
  }

  @Override
  public boolean remove(ClusterId cluster, String namespace) {
    return transactions.forAllTenants(
            of(REMOVE_NAMESPACE, cluster).param(NAMESPACE, namespace)::update)
        > 0;
  }

  @Override
  public void tell(ClusterId cluster, @Nullable String trouble) {
    int _ =
        transactions.forAllTenants(
            of(TELL, cluster).param(TROUBLE, trouble, Types.VARCHAR)::update);
  }

  @Override
  public SortedMap<ClusterId, String> troubles() {
    SortedMap<ClusterId, String> troubles = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            jdbc.sql(TROUBLES.text())
                .query((row, n) ->
                    Map.entry(
                        new ClusterId(Columns.uuid(row, CLUSTER)), Columns.text(row, TROUBLE)))
                .list())
        .forEach(one -> troubles.put(one.getKey(), one.getValue()));
    return troubles;
  }

  @Override
  public SortedMap<String, Integer> counts(ClusterId cluster) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            of(COUNTS, cluster)
                .query((row, n) -> Map.entry(Columns.text(row, NAMESPACE), row.getInt("jobs")))
                .list())
        .forEach(count -> counts.put(count.getKey(), count.getValue()));
    return counts;
  }

  @Override
  public List<String> taken(ClusterId cluster, String after, int most) {
    return uids(of(TAKEN, cluster), after, most);
  }

  @Override
  public List<String> moved(ClusterId cluster, String after, int most) {
    return uids(of(MOVED, cluster), after, most);
  }

  private List<String> uids(JdbcClient.StatementSpec statement, String after, int most) {
    return transactions.forAllTenants(
        () -> statement.param("after", after).param("most", most).query(String.class).list());
  }

  @Override
  public List<FrontJob> find(ClusterId cluster, Collection<String> uids) {
    if (uids.isEmpty()) {
      return List.of();
    }
    return transactions.forAllTenants(() ->
        of(FIND, cluster)
            .param("uids", Json.write(List.copyOf(uids)))
            .query((row, n) -> job(row))
            .list());
  }

  private static FrontJob job(ResultSet row) throws SQLException {
    UUID job = row.getObject("job", UUID.class);
    return FrontJobBuilder.builder()
        .cluster(new ClusterId(Columns.uuid(row, CLUSTER)))
        .uid(Columns.text(row, UID))
        .namespace(Columns.text(row, NAMESPACE))
        .name(Columns.text(row, "name"))
        .tenant(new TenantId(Columns.uuid(row, TENANT)))
        .project(new ProjectId(Columns.uuid(row, PROJECT)))
        .job(job == null ? null : new JobId(job))
        .suspended(row.getBoolean(SUSPENDED))
        .takenAt(Columns.instant(row, "taken_at"))
        .build();
  }

  @Override
  public SortedSet<String> insert(Collection<FrontJob> jobs) {
    return changed(INSERT_JOBS, jobs);
  }

  @Override
  public SortedSet<String> update(Collection<FrontJob> jobs) {
    return changed(UPDATE_JOBS, jobs);
  }

  /** UIDs of the rows that the statement wrote. */
  private SortedSet<String> changed(SqlFile file, Collection<FrontJob> jobs) {
    SortedSet<String> written = new TreeSet<>();
    SortedMap<ClusterId, RowBatch> batches = new TreeMap<>();
    for (FrontJob job : jobs) {
      JobId id = job.job();
      batches
          .computeIfAbsent(job.cluster(), any -> new RowBatch())
          .row()
          .set(UID, job.uid())
          .set(NAMESPACE, job.namespace())
          .set("name", job.name())
          .set(TENANT, job.tenant().value().toString())
          .set(PROJECT, job.project().value().toString())
          .set("job", id == null ? null : id.value().toString())
          .set(SUSPENDED, job.suspended())
          .set("taken_at", job.takenAt().toString());
    }
    batches.forEach((cluster, rows) ->
        written.addAll(
            transactions.forAllTenants(
                () -> of(file, cluster).param("rows", rows.json()).query(String.class).list())));
    return written;
  }

  @Override
  public void shown(ClusterId cluster, SortedMap<String, Long> versions) {
    if (versions.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    versions.forEach((uid, version) -> rows.row().set(UID, uid).set("version", version));
    int _ = transactions.forAllTenants(of(SHOWN, cluster).param("rows", rows.json())::update);
  }

  @Override
  public void remove(Collection<FrontJob> jobs) {
    SortedMap<ClusterId, List<String>> uids = new TreeMap<>();
    jobs.forEach(
        job -> uids.computeIfAbsent(job.cluster(), any -> new ArrayList<>()).add(job.uid()));
    uids.forEach((cluster, some) -> {
      int _ =
          transactions.forAllTenants(
              of(REMOVE_JOBS, cluster).param("uids", Json.write(some))::update);
    });
  }

  @Override
  public SortedMap<ClusterId, FrontBreaker> breakers() {
    SortedMap<ClusterId, FrontBreaker> open = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            jdbc.sql(BREAKERS.text())
                .query((row, n) ->
                    new FrontBreaker(
                        new ClusterId(Columns.uuid(row, CLUSTER)),
                        row.getInt("jobs"),
                        row.getInt("taken"),
                        Columns.instant(row, "since")))
                .list())
        .forEach(one -> open.put(one.cluster(), one));
    return open;
  }

  @Override
  public void mark(ClusterId cluster, Collection<String> missing, Instant now) {
    int _ =
        transactions.forAllTenants(
            of(MARK_MISSING, cluster)
                    .param("uids", Json.write(List.copyOf(missing)))
                    .param("now", Columns.parameter(now))
                ::update);
  }

  @Override
  public SortedMap<TenantId, Integer> confirm(ClusterId cluster) {
    SortedMap<TenantId, Integer> confirmed = new TreeMap<>();
    transactions
        .forAllTenants(() ->
            of(CONFIRM_LOSS, cluster)
                .query((row, n) -> new TenantId(Columns.uuid(row, TENANT)))
                .list())
        .forEach(tenant -> confirmed.merge(tenant, 1, Integer::sum));
    return confirmed;
  }

  @Override
  public SortedSet<String> confirmed(ClusterId cluster) {
    return new TreeSet<>(
        transactions.forAllTenants(() -> of(CONFIRMED, cluster).query(String.class).list()));
  }

  private JdbcClient.StatementSpec of(SqlFile file, ClusterId cluster) {
    return jdbc.sql(file.text()).param(CLUSTER, cluster.value());
  }
}
