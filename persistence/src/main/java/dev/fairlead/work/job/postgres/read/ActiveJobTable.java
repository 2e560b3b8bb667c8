package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowCache;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.job.store.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.store.ActiveJobs.NamedRun;
import dev.fairlead.work.spec.JobSpec;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads rows of jobs that have not ended. */
@Component
public class ActiveJobTable {
  private static final SqlFile VERSIONS = SqlFile.named("job/active-versions");
  private static final SqlFile JOBS = SqlFile.named("job/jobs-without-spec");
  private static final SqlFile SPECS = SqlFile.named("job/job-specs");
  private static final SqlFile ELEMENTS = SqlFile.named("job/elements-of-jobs");
  private static final SqlFile ARCHIVED = SqlFile.named("job/elements-with-archive");
  private static final SqlFile ANY_WAITS = SqlFile.named("job/any-waits");
  private static final SqlFile ENDED_RUNS = SqlFile.named("job/ended-runs");
  private static final SqlFile RUNS = SqlFile.named("job/runs");

  /**
   * Number of specs that the driver holds at a time, each up to a quarter of a megabyte. Each fetch
   * waits for a core twice, so on a busy machine small fetches took most of the first view.
   */
  private static final int FETCHED = 256;

  /** Before the version of any spec. */
  private static final long UNKNOWN = -1;

  private final JdbcClient jdbc;

  ActiveJobTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  public List<RowCache.Version> versions(UUID after, int most) {
    return jdbc.sql(VERSIONS.text())
        .param("after", after)
        .param("most", most)
        .query((row, n) -> new RowCache.Version(Columns.uuid(row, "id"), row.getLong("version")))
        .list();
  }

  public boolean anyWaits() {
    return jdbc.sql(ANY_WAITS.text()).query(Boolean.class).single();
  }

  /**
   * Contains the parts of specs that decisions read. The spec of a known job is fetched and parsed
   * again only after a change.
   */
  public List<Job> jobs(List<JobId> ids, Function<JobId, @Nullable ActiveJob> known) {
    SortedMap<JobId, JobSpec> specs = new TreeMap<>();
    StringJoiner versions = new StringJoiner(",", "{", "}");
    for (JobId id : ids) {
      ActiveJob before = known.apply(id);
      if (before != null) {
        specs.put(id, before.job().spec());
      }
      versions.add(Long.toString(before == null ? UNKNOWN : before.job().version()));
    }
    jdbc.sql(SPECS.text())
        .param("ids", JobTable.ids(ids))
        .param("versions", versions.toString())
        .withFetchSize(FETCHED)
        .query(row -> {
          specs.put(
              new JobId(Columns.uuid(row, "id")), ReadSpecs.decided(Columns.text(row, "spec")));
        });
    return jdbc.sql(JOBS.text())
        .param("ids", JobTable.ids(ids))
        .query((row, n) ->
            JobRows.job(row, Objects.requireNonNull(specs.get(new JobId(Columns.uuid(row, "id"))))))
        .list();
  }

  public List<JobElement> elements(List<JobId> jobs) {
    return elements(ELEMENTS, jobs);
  }

  /** Elements of jobs of which some may be in the archive. */
  public List<JobElement> elementsWithArchive(List<JobId> jobs) {
    return elements(ARCHIVED, jobs);
  }

  private List<JobElement> elements(SqlFile read, List<JobId> jobs) {
    return jdbc.sql(read.text()).param("jobs", JobTable.ids(jobs)).query(JobRows::element).list();
  }

  public List<NamedRun> runs(Collection<JobId> ids) {
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

  public List<LearnedRuntimes.Run> endedRuns(Instant after, int most) {
    return jdbc.sql(ENDED_RUNS.text())
        .param("after", Timestamp.from(after))
        .param("most", most)
        .param("each", ActiveJobs.RUNS_EACH)
        .withFetchSize(FETCHED)
        .query((row, n) -> {
          Instant ended = Columns.instant(row, "ended_at");
          return new LearnedRuntimes.Run(
              RunGroup.of(
                  new ProjectId(Columns.uuid(row, "project")),
                  Columns.text(row, "submitted_by"),
                  ReadSpecs.decided(Columns.text(row, "spec"))),
              ended,
              Duration.between(Columns.instant(row, "started_at"), ended));
        })
        .list();
  }
}
