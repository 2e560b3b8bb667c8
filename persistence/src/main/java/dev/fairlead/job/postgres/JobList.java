package dev.fairlead.job.postgres;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobFilter;
import dev.fairlead.job.JobState;
import dev.fairlead.postgres.SqlFile;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Pages of jobs. A condition that is not asked for is not in the statement, so that each form has
 * its plan. Jobs of a label that few have are looked up by it. Several states are one look into the
 * index each, joined by their order: a rare state among a million jobs would otherwise be looked
 * for among all of them.
 */
@Component
class JobList {
  private static final SqlFile LIST = SqlFile.named("job/list-jobs");
  private static final SqlFile LABELLED = SqlFile.named("job/list-labelled");
  private static final SqlFile LABEL_COUNT = SqlFile.named("job/count-labelled");

  /** As many are looked up one by one and put in order within the time of a page. */
  private static final int FEW = 10_000;

  private final JdbcClient jdbc;

  JobList(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<Job> list(JobFilter filter) {
    JobConditions conditions = JobConditions.of(filter);
    JobFilter.Mark after = filter.after();
    if (after != null) {
      conditions.add(behind(filter.order()), "markId", after.id().value());
      conditions.set("markTime", after.createdAt().atOffset(ZoneOffset.UTC));
      conditions.set("markRank", -after.priority());
      conditions.set("markName", after.name());
    }
    conditions.set("limit", filter.limit());
    return jdbc.sql(
            rarelyLabelled(filter) ? labelled(filter, conditions) : statement(filter, conditions))
        .params(conditions.parameters())
        .query(JobRows::job)
        .list();
  }

  private boolean rarelyLabelled(JobFilter filter) {
    return filter.labels().entrySet().stream()
        .anyMatch(label ->
            jdbc.sql(LABEL_COUNT.text())
                    .param("tenant", filter.tenant().value())
                    .param("label", JobConditions.pair(label))
                    .param("most", FEW)
                    .query(Long.class)
                    .single()
                < FEW);
  }

  private static String labelled(JobFilter filter, JobConditions conditions) {
    if (!filter.states().isEmpty()) {
      conditions.add(
          "state IN (:states)", "states", filter.states().stream().map(Enum::name).toList());
    }
    String order = "\nORDER BY " + order(filter.order());
    return LABELLED
        .text()
        .replace("/*conditions*/", conditions.text())
        .replace("/*page*/", order + "\nLIMIT :limit")
        .replace("/*order*/", order);
  }

  private static String statement(JobFilter filter, JobConditions conditions) {
    String page = "\nORDER BY " + order(filter.order()) + "\nLIMIT :limit";
    String all = LIST.text() + conditions.text();
    List<JobState> states = looked(filter);
    if (states.isEmpty()) {
      return all + page;
    }
    List<String> each = new ArrayList<>();
    for (JobState state : states) {
      each.add("(" + all + "\n  AND state = '" + state.name() + "'" + page + ")");
    }
    return each.size() == 1
        ? each.getFirst()
        : "SELECT * FROM (" + String.join("\nUNION ALL\n", each) + ") AS each_state" + page;
  }

  /** The states to be looked at one by one; empty where an index has all of them together. */
  private static List<JobState> looked(JobFilter filter) {
    boolean together =
        filter.name() == null
            && (filter.order() == JobFilter.Order.NEWEST
                || filter.order() == JobFilter.Order.OLDEST);
    return together || !filter.states().isEmpty() ? filter.states() : List.of(JobState.values());
  }

  private static String order(JobFilter.Order order) {
    return switch (order) {
      case NEWEST -> "created_at DESC, id DESC";
      case OLDEST -> "created_at, id";
      case PRIORITY -> "queue_rank, created_at, id";
      case NAME -> "name, created_at, id";
    };
  }

  private static String behind(JobFilter.Order order) {
    return switch (order) {
      case NEWEST -> "(created_at, id) < (:markTime, :markId)";
      case OLDEST -> "(created_at, id) > (:markTime, :markId)";
      case PRIORITY -> "(queue_rank, created_at, id) > (:markRank, :markTime, :markId)";
      case NAME -> "(name, created_at, id) > (:markName, :markTime, :markId)";
    };
  }
}
