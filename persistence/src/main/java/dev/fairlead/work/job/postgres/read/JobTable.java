package dev.fairlead.work.job.postgres.read;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.job.store.QueuePlace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads rows of jobs and elements. */
@Component
public class JobTable {
  private static final SqlFile FIND = SqlFile.named("job/find-job");
  private static final SqlFile FIND_ALL = SqlFile.named("job/find-jobs");
  private static final SqlFile FIND_STORED = SqlFile.named("job/find-stored-jobs");
  private static final SqlFile LOCK = SqlFile.named("job/lock-whole-jobs");
  private static final SqlFile LOCK_VERSIONS = SqlFile.named("job/lock-jobs");
  private static final SqlFile PIPELINES = SqlFile.named("job/pipelines");
  private static final SqlFile ACTIVE_NAMED = SqlFile.named("job/active-named");
  private static final SqlFile NAMED = SqlFile.named("job/named-jobs");
  private static final SqlFile PROJECTS = SqlFile.named("job/projects-of-jobs");
  private static final SqlFile QUEUED_COUNT = SqlFile.named("job/queued-count");
  private static final SqlFile ACTIVE_COUNT_OF_TENANT = SqlFile.named("job/active-count-of-tenant");
  private static final SqlFile ACTIVE_COUNT = SqlFile.named("job/active-count");
  private static final SqlFile ELEMENTS = SqlFile.named("job/elements");
  private static final SqlFile PLACE = SqlFile.named("job/queue-place");
  private static final SqlFile DEPENDENTS = SqlFile.named("job/dependents");
  private static final SqlFile CONFINED = SqlFile.named("job/confined-to");
  private static final SqlFile DELETE = SqlFile.named("job/delete-job");

  private final JdbcClient jdbc;
  private final BelievedTime time;
  private final KnownSpecs specs = new KnownSpecs(ReadSpecs.MOST_CHARACTERS);

  JobTable(JdbcClient jdbc, BelievedTime time) {
    this.jdbc = jdbc;
    this.time = time;
  }

  public Optional<Job> find(TenantId tenant, JobId id) {
    return jdbc.sql(FIND.text())
        .param("tenant", tenant.value())
        .param("id", id.value())
        .query(JobRows::job)
        .optional();
  }

  public List<Job> lock(Collection<JobId> ids) {
    return jdbc.sql(LOCK.text()).param("ids", ids(ids)).query(JobRows::job).list();
  }

  public SortedMap<JobId, Long> lockVersions(Collection<JobId> ids) {
    SortedMap<JobId, Long> versions = new TreeMap<>();
    jdbc.sql(LOCK_VERSIONS.text())
        .param("ids", ids(ids))
        .query(row -> {
          versions.put(new JobId(Columns.uuid(row, "id")), row.getLong("version"));
        });
    return versions;
  }

  /** Includes archived jobs, ordered by id. */
  public List<Job> findAll(Collection<JobId> ids) {
    KnownSpecs.Parameters known = specs.of(ids);
    List<Job> found =
        jdbc.sql(FIND_STORED.text())
            .param("ids", ids(known.ids()))
            .param("versions", known.versions())
            .param("patched", known.patched())
            .query((row, n) -> JobRows.job(row, known.spec(row)))
            .list();
    return found.size() == known.ids().size() ? found : withArchived(found, known.ids());
  }

  private List<Job> withArchived(List<Job> found, Collection<JobId> ids) {
    SortedMap<JobId, Job> all = new TreeMap<>();
    found.forEach(job -> all.put(job.id(), job));
    List<JobId> rest = ids.stream().filter(id -> !all.containsKey(id)).toList();
    jdbc.sql(FIND_ALL.text())
        .param("ids", ids(rest))
        .query(JobRows::job)
        .list()
        .forEach(job -> all.put(job.id(), job));
    return List.copyOf(all.values());
  }

  public List<NamedJob> activeNamed(ProjectId project, Collection<String> names) {
    return jdbc.sql(ACTIVE_NAMED.text())
        .param("project", project.value())
        .param("names", names.toArray(String[]::new))
        .query(JobTable::named)
        .list();
  }

  public SortedMap<String, SortedMap<JobState, Integer>> pipelines(
      TenantId tenant, ProjectId project, String after, int most) {
    String begin = Pipeline.LABEL + "=";
    SortedMap<String, SortedMap<JobState, Integer>> counts = new TreeMap<>();
    jdbc.sql(PIPELINES.text())
        .param("tenant", tenant.value())
        .param("project", project.value())
        .param("after", begin + after)
        .param("most", most)
        .query(row -> {
          String value = Columns.text(row, "label").substring(begin.length());
          counts
              .computeIfAbsent(value, one -> new TreeMap<>())
              .put(JobState.valueOf(Columns.text(row, "state")), row.getInt("jobs"));
        });
    return counts;
  }

  private static NamedJob named(ResultSet row, int n) throws SQLException {
    return new NamedJob(
        new JobId(row.getObject("id", UUID.class)),
        row.getString("name"),
        row.getBoolean("active"));
  }

  public List<NamedJob> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return jdbc.sql(NAMED.text())
        .param("tenant", tenant.value())
        .param("project", project.value())
        .param("names", names.toArray(String[]::new))
        .param("most", JobStore.MOST_OF_A_NAME)
        .query(JobTable::named)
        .list();
  }

  public Map<JobId, ProjectId> projects(TenantId tenant, Collection<JobId> ids) {
    Map<JobId, ProjectId> projects = new TreeMap<>();
    jdbc.sql(PROJECTS.text())
        .param("tenant", tenant.value())
        .param("ids", ids(ids))
        .query(row -> {
          projects.put(
              new JobId(row.getObject("id", UUID.class)),
              new ProjectId(row.getObject("project", UUID.class)));
        });
    return projects;
  }

  public long queuedCount(TenantId tenant, QuotaNodeId queue, String user, long most) {
    return jdbc.sql(QUEUED_COUNT.text())
        .param("tenant", tenant.value())
        .param("queue", queue.value())
        .param("user", user)
        .param("most", most)
        .query(Long.class)
        .single();
  }

  public long activeCountOfTenant(TenantId tenant, long most) {
    return jdbc.sql(ACTIVE_COUNT_OF_TENANT.text())
        .param("tenant", tenant.value())
        .param("most", most)
        .query(Long.class)
        .single();
  }

  public long activeCount(ProjectId project, long most) {
    return jdbc.sql(ACTIVE_COUNT.text())
        .param("project", project.value())
        .param("most", most)
        .query(Long.class)
        .single();
  }

  public List<JobElement> elements(JobId job, int from, int limit) {
    return jdbc.sql(ELEMENTS.text())
        .param("job", job.value())
        .param("from", from)
        .param("limit", limit)
        .query(JobRows::element)
        .list();
  }

  public Optional<QueuePlace> queuePlace(JobId job) {
    return jdbc.sql(PLACE.text())
        .param("job", job.value())
        .query((row, n) ->
            new QueuePlace(row.getInt("rank"), row.getInt("total"), row.getLong("ahead")))
        .optional();
  }

  public Optional<String> dependent(TenantId tenant, JobId job) {
    return jdbc.sql(DEPENDENTS.text())
        .param("tenant", tenant.value())
        .param("dependency", Json.write(List.of(Map.of("job", job))))
        .query(String.class)
        .optional();
  }

  public List<String> confinedTo(String cluster, int limit) {
    return jdbc.sql(CONFINED.text())
        .param("cluster", cluster)
        .param("limit", limit)
        .query(String.class)
        .list();
  }

  public boolean delete(JobId job) {
    return jdbc.sql(DELETE.text()).param("id", job.value()).query(Long.class).single() > 0;
  }

  public Instant now() {
    return time.now();
  }

  public static String ids(Collection<JobId> ids) {
    return Json.ids(ids.stream().map(JobId::value).toList());
  }
}
