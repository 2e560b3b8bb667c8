package dev.fairlead.work.job.postgres.read;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobBuilder;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobStatusBuilder;
import dev.fairlead.work.spec.JobSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Converts jobs and elements to rows and back. */
public final class JobRows {
  private JobRows() {}

  public static void write(RowBatch row, Job job) {
    row.set("id", job.id().value())
        .set("tenant", job.tenant().value())
        .set("project", job.project().value())
        .set("queue", job.queue().value())
        .set("progress", job.array());
    spec(row, job);
    change(row, job);
  }

  /** The spec and the columns that change only with it. */
  public static void spec(RowBatch row, Job job) {
    row.set("id", job.id().value())
        .set("name", job.name())
        .set("submitted_by", job.user())
        .set("created_at", job.createdAt())
        .set("priority", job.priority())
        .set("gpu_milli", job.spec().gpuMilli())
        .set("spec", job.spec())
        .set("labels", job.spec().labels());
  }

  /** The columns that change. */
  public static void change(RowBatch row, Job job) {
    row.set("id", job.id().value())
        .set("progress", job.array())
        .set("checks", job.checks().isEmpty() ? null : stored(job.checks()))
        .set("version", job.version());
    write(row, job.run());
  }

  public static void write(RowBatch row, JobElement element, TenantId tenant) {
    row.set("job", element.job().value()).set("idx", element.index()).set("tenant", tenant.value());
    write(row, element.run());
  }

  private static void write(RowBatch row, JobStatus run) {
    row.set("state", run.state())
        .set("changed_at", run.changedAt())
        .set("started_at", run.startedAt())
        .set("ended_at", run.endedAt())
        .set("attempts", run.attempts())
        .set("failures", run.failures())
        .set("faults", run.faults())
        .set("retry_at", run.retryAt())
        .set("failure", run.failure());
  }

  static Job job(ResultSet row, int number) throws SQLException {
    return job(row, ReadSpecs.of(Columns.text(row, "spec")));
  }

  /** The caller provides the spec. */
  static Job job(ResultSet row, JobSpec spec) throws SQLException {
    return JobBuilder.builder()
        .id(new JobId(Columns.uuid(row, "id")))
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .project(new ProjectId(Columns.uuid(row, "project")))
        .queue(new QuotaNodeId(Columns.uuid(row, "queue")))
        .name(Columns.text(row, "name"))
        .user(Columns.text(row, "submitted_by"))
        .spec(spec)
        .priority(row.getInt("priority"))
        .createdAt(Columns.instant(row, "created_at"))
        .run(run(row))
        .array(Json.readOrNull(row.getString("progress"), ArrayProgress.class))
        .checks(checks(row.getString("checks")))
        .version(row.getLong("version"))
        .build();
  }

  /** A process of the previous version cannot read a check whose message is null. */
  private static JsonNode stored(List<JobCheck> checks) {
    return Json.withText(checks, "message");
  }

  private static List<JobCheck> checks(@Nullable String json) {
    return json == null ? List.of() : List.of(Json.read(json, JobCheck[].class));
  }

  static JobElement element(ResultSet row, int number) throws SQLException {
    return new JobElement(new JobId(Columns.uuid(row, "job")), row.getInt("idx"), run(row));
  }

  static JobStatus run(ResultSet row) throws SQLException {
    return JobStatusBuilder.builder()
        .state(Columns.value(row, "state", JobState.class))
        .changedAt(Columns.instant(row, "changed_at"))
        .startedAt(Columns.instantOrNull(row, "started_at"))
        .endedAt(Columns.instantOrNull(row, "ended_at"))
        .attempts(row.getInt("attempts"))
        .failures(row.getInt("failures"))
        .faults(row.getInt("faults"))
        .retryAt(Columns.instantOrNull(row, "retry_at"))
        .failure(Json.readOrNull(row.getString("failure"), Failure.class))
        .build();
  }
}
