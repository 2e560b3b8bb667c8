package dev.fairlead.job.postgres;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobFilter;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Pages of jobs, newest first. A condition that is not asked for is not in the statement, so that
 * each form has its plan.
 */
@Component
class JobList {
  private static final SqlFile LIST = SqlFile.named("job/list-jobs");
  private final JdbcClient jdbc;

  JobList(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<Job> list(JobFilter filter) {
    Conditions conditions = new Conditions();
    conditions.parameters.put("tenant", filter.tenant().value());
    if (filter.project() != null) {
      conditions.add("project = :project", "project", filter.project().value());
    }
    if (!filter.states().isEmpty()) {
      conditions.add(
          "state IN (:states)", "states", filter.states().stream().map(Enum::name).toList());
    }
    if (!filter.queues().isEmpty()) {
      conditions.add(
          "queue IN (SELECT q.id FROM quota_node q WHERE q.tenant = :tenant AND q.name IN"
              + " (:queues))",
          "queues",
          filter.queues());
    }
    conditions.addPresent("submitted_by = :user", "user", filter.user());
    conditions.addPresent("name = :name", "name", filter.name());
    if (!filter.labels().isEmpty()) {
      conditions.add("labels @> CAST(:labels AS jsonb)", "labels", Json.write(filter.labels()));
    }
    conditions.addPresent(
        "created_at > :createdAfter", "createdAfter", Columns.parameter(filter.createdAfter()));
    JobFilter.Mark after = filter.after();
    if (after != null) {
      conditions.add("(created_at, id) < (:markTime, :markId)", "markId", after.id().value());
      conditions.parameters.put("markTime", after.createdAt().atOffset(ZoneOffset.UTC));
    }
    conditions.parameters.put("limit", filter.limit());
    String statement =
        LIST.text() + conditions.text + "\nORDER BY created_at DESC, id DESC\nLIMIT :limit";
    return jdbc.sql(statement).params(conditions.parameters).query(JobRows::job).list();
  }

  /** Text from this class alone; what users give is always a parameter. */
  private static final class Conditions {
    private final StringBuilder text = new StringBuilder();
    private final Map<String, Object> parameters = new TreeMap<>();

    private void add(String condition, String name, Object value) {
      text.append("\n  AND ").append(condition);
      parameters.put(name, value);
    }

    private void addPresent(String condition, String name, @Nullable Object value) {
      if (value != null) {
        add(condition, name, value);
      }
    }
  }
}
