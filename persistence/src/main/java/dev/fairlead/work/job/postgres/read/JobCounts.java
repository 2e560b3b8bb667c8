package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Counts jobs by groups in one statement. Ended jobs are counted from the tally, unless the filter
 * uses a field that the tally does not have.
 */
@Component
public class JobCounts {
  private static final SqlFile COUNT = SqlFile.named("job/count-jobs");
  private static final SqlFile EACH = SqlFile.named("job/counted-each");
  private static final SqlFile TALLY = SqlFile.named("job/counted-tally");
  private final JdbcClient jdbc;

  JobCounts(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  public List<JobCount> count(JobFilter filter, Set<JobCount.Group> by) {
    JobFilterSql conditions = JobFilterSql.of(filter);
    TreeSet<JobCount.Group> groups = new TreeSet<>(by);
    String columns = String.join(", ", groups.stream().map(JobCounts::column).toList());
    String noQueue = groups.contains(JobCount.Group.QUEUE) ? "" : "CAST(NULL AS uuid) AS queue, ";
    String statement =
        COUNT
            .text()
            .replace("/*groups*/", noQueue + columns)
            .replace("/*columns*/", columns)
            .replace("/*counted*/", (tallied(filter) ? TALLY : EACH).text())
            .replace("/*conditions*/", conditions.text());
    List<JobCount> counts =
        new ArrayList<>(
            jdbc.sql(statement)
                .params(conditions.parameters())
                .query((row, n) -> count(row, groups))
                .list());
    counts.sort((a, b) -> values(a).compareTo(values(b)));
    return counts;
  }

  private static boolean tallied(JobFilter filter) {
    return filter.labels().isEmpty()
        && filter.name() == null
        && filter.createdAfter() == null
        && filter.createdBefore() == null;
  }

  private static String values(JobCount count) {
    return String.join("\0", count.group().values());
  }

  private static JobCount count(ResultSet row, Set<JobCount.Group> groups) throws SQLException {
    TreeMap<JobCount.Group, String> group = new TreeMap<>();
    for (JobCount.Group one : groups) {
      String value = row.getString(one == JobCount.Group.QUEUE ? "queue_name" : column(one));
      group.put(
          one,
          one == JobCount.Group.PROJECT
              ? new dev.fairlead.people.tenant.ProjectId(java.util.UUID.fromString(value)).text()
              : value == null ? "" : value);
    }
    return new JobCount(group, row.getLong("jobs"), row.getLong("gpu_milli"));
  }

  private static String column(JobCount.Group group) {
    return switch (group) {
      case STATE -> "state";
      case QUEUE -> "queue";
      case PROJECT -> "project";
      case USER -> "submitted_by";
    };
  }
}
