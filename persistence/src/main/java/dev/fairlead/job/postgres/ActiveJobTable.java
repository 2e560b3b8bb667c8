package dev.fairlead.job.postgres;

import dev.fairlead.job.ActiveJobs.ActiveJob;
import dev.fairlead.job.ActiveJobs.NamedRun;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobSpec;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.tenant.TenantId;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads rows of jobs that have not ended. */
@Component
class ActiveJobTable {
  private static final SqlFile VERSIONS = SqlFile.named("job/active-versions");
  private static final SqlFile JOBS = SqlFile.named("job/jobs-without-spec");
  private static final SqlFile SPECS = SqlFile.named("job/job-specs");
  private static final SqlFile RESPECIFIED = SqlFile.named("job/respecified-jobs");
  private static final SqlFile ELEMENTS = SqlFile.named("job/elements-of-jobs");
  private static final SqlFile RUNS = SqlFile.named("job/runs");

  private final JdbcClient jdbc;

  ActiveJobTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  SortedMap<JobId, Long> versions() {
    SortedMap<JobId, Long> versions = new TreeMap<>();
    jdbc.sql(VERSIONS.text())
        .query(row -> {
          versions.put(new JobId(Columns.uuid(row, "id")), row.getLong("version"));
        });
    return versions;
  }

  /** A spec seldom changes: that of a known job is fetched and parsed again only where it did. */
  List<Job> jobs(List<JobId> ids, Function<JobId, @Nullable ActiveJob> known) {
    SortedMap<JobId, JobSpec> specs = new TreeMap<>();
    for (JobId id : ids) {
      ActiveJob before = known.apply(id);
      if (before != null) {
        specs.put(id, before.job().spec());
      }
    }
    if (!specs.isEmpty()) {
      respecified(specs.keySet())
          .forEach((id, version) -> {
            ActiveJob before = known.apply(id);
            if (before == null || before.job().version() < version) {
              specs.remove(id);
            }
          });
    }
    List<JobId> unknown = ids.stream().filter(id -> !specs.containsKey(id)).toList();
    if (!unknown.isEmpty()) {
      jdbc.sql(SPECS.text())
          .param("ids", JobTable.ids(unknown))
          .query(row -> {
            specs.put(
                new JobId(Columns.uuid(row, "id")),
                Json.read(Columns.text(row, "spec"), JobSpec.class));
          });
    }
    return jdbc.sql(JOBS.text())
        .param("ids", JobTable.ids(ids))
        .query((row, n) ->
            JobRows.job(row, Objects.requireNonNull(specs.get(new JobId(Columns.uuid(row, "id"))))))
        .list();
  }

  /** Versions at which specs changed; those that never did are left out. */
  private SortedMap<JobId, Long> respecified(Collection<JobId> ids) {
    SortedMap<JobId, Long> versions = new TreeMap<>();
    jdbc.sql(RESPECIFIED.text())
        .param("ids", JobTable.ids(List.copyOf(ids)))
        .query(row -> {
          versions.put(new JobId(Columns.uuid(row, "id")), row.getLong("specified"));
        });
    return versions;
  }

  List<JobElement> elements(List<JobId> jobs) {
    return jdbc.sql(ELEMENTS.text())
        .param("jobs", JobTable.ids(jobs))
        .query(JobRows::element)
        .list();
  }

  List<NamedRun> runs(Collection<JobId> ids) {
    return jdbc.sql(RUNS.text())
        .param("ids", JobTable.ids(ids))
        .query((row, n) ->
            new NamedRun(
                new JobId(Columns.uuid(row, "id")),
                new TenantId(Columns.uuid(row, "tenant")),
                Columns.text(row, "name"),
                JobRows.run(row)))
        .list();
  }
}
