package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.postgres.read.JobFilterSql.Field;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Pages of jobs, each within a bounded number of rows. Values that few jobs have are looked up and
 * sorted. Otherwise the list is read along the index of its order, and a bounded number of jobs is
 * checked for conditions that the index does not cover: a page then ends early, with the position
 * where the next one continues. Each of several phases is a separate index scan, so that a rare
 * phase is not searched among a million jobs. The results are merged in order. A page also ends
 * early if its specs are large. Parts of names are checked in this way, because an index for them
 * would need an extension. Single states of placed jobs are checked too, because most placed jobs
 * run.
 */
@Component
public class JobList {
  private static final SqlFile LIST = SqlFile.named("job/list-jobs");
  private static final SqlFile LOOKED_UP = SqlFile.named("job/list-looked-up");
  private static final SqlFile WITHIN_BYTES = SqlFile.named("job/list-within-bytes");
  private static final SqlFile COUNT_FEW = SqlFile.named("job/count-few");

  private static final String TABLE = "/*table*/";

  /** Reads archived jobs with the columns of a list. An archived job has no admission checks. */
  private static final String ARCHIVE =
      "(SELECT *, CAST(NULL AS jsonb) AS checks FROM job_archive) AS archived";

  /** Maximum number of jobs that a page has time to look up and sort. */
  private static final int FEW = 10_000;

  /** Maximum number of jobs that a page has time to read and check. */
  private static final int WALKED = 2_000;

  private final JdbcClient jdbc;
  private final int few;
  private final int walked;

  @Autowired
  JobList(JdbcClient jdbc) {
    this(jdbc, FEW, WALKED);
  }

  JobList(JdbcClient jdbc, int few, int walked) {
    this.jdbc = jdbc;
    this.few = few;
    this.walked = walked;
  }

  public JobSlice list(JobFilter filter) {
    JobFilterSql conditions = JobFilterSql.of(filter);
    boolean looked = isFew(filter, conditions);
    conditions.set("limit", filter.limit());
    conditions.set("walked", walked);
    JobFilter.Cursor after = filter.after();
    if (after != null) {
      conditions.add(Field.PLACE, behind(filter.order()), "markId", after.id().value());
      conditions.set("markTime", after.createdAt().atOffset(ZoneOffset.UTC));
      conditions.set("markRank", -after.priority());
      conditions.set("markName", after.name());
    }
    return looked ? lookedUp(filter, conditions) : walked(filter, conditions);
  }

  private boolean isFew(JobFilter filter, JobFilterSql conditions) {
    if (filter.labels().entrySet().stream().anyMatch(label -> isFew(filter, label))) {
      return true;
    }
    return switch (filter.order()) { // each order by time has an index, and few jobs share a name
      case NEWEST, OLDEST -> false;
      case PRIORITY, NAME ->
          filter.order() == JobFilter.Order.PRIORITY && conditions.has(Field.NAME)
              || isFew(conditions, Field.USER)
              || isFew(conditions, Field.CREATED)
              || isFew(conditions, Field.QUEUE)
              || isFew(conditions, Field.PROJECT);
    };
  }

  private boolean isFew(JobFilter filter, Map.Entry<String, String> label) {
    Map<String, Object> parameters = new TreeMap<>();
    parameters.put("tenant", filter.tenant().value());
    parameters.put("label", JobFilterSql.pair(label));
    return isFew("job_label", " AND label = :label", parameters);
  }

  /** Without the state: a rare one would be searched in all rows of its phase to be counted. */
  private boolean isFew(JobFilterSql conditions, Field field) {
    return conditions.has(field)
        && isFew(
            "job_all", conditions.text(EnumSet.of(field, Field.PHASE)), conditions.parameters());
  }

  private boolean isFew(String table, String conditions, Map<String, Object> parameters) {
    return jdbc.sql(COUNT_FEW.text().replace(TABLE, table).replace("/*conditions*/", conditions))
            .params(parameters)
            .param("few", few)
            .query(Long.class)
            .single()
        < few;
  }

  private JobSlice lookedUp(JobFilter filter, JobFilterSql conditions) {
    String order = "\nORDER BY " + order(filter.order());
    String statement =
        LOOKED_UP
            .text()
            .replace("/*conditions*/", conditions.text())
            .replace("/*page*/", order + "\nLIMIT :limit")
            .replace("/*order*/", order);
    return jobs(statement, filter, conditions);
  }

  private JobSlice walked(JobFilter filter, JobFilterSql conditions) {
    Set<Field> known = known(filter, conditions);
    List<JobPhase> phases = phases(filter, known);
    if (!phases.isEmpty()) {
      known.add(Field.PHASE);
    }
    String checks = conditions.checks(known);
    known.remove(Field.PHASE);
    String all = LIST.text() + conditions.text(known);
    String order = "\nORDER BY " + order(filter.order());
    if (checks.isEmpty()) {
      return jobs(ordered(all, phases, filter.order(), ":limit"), filter, conditions);
    }
    String rows = "FROM (\n" + ordered(all, phases, filter.order(), ":walked") + "\n) AS looked_at";
    String checked = "SELECT * " + rows + "\nWHERE " + checks + order + "\nLIMIT :limit";
    JobSlice page = jobs(checked, filter, conditions);
    return page.next() != null ? page : new JobSlice(page.jobs(), lastOf(rows + order, conditions));
  }

  /** The last checked row, null if the list ended before. */
  private JobFilter.@Nullable Cursor lastOf(String rows, JobFilterSql conditions) {
    String statement =
        "SELECT id, created_at, priority, name " + rows + "\nOFFSET :walked - 1 LIMIT 1";
    return jdbc.sql(statement)
        .params(conditions.parameters())
        .query((row, n) ->
            new JobFilter.Cursor(
                Columns.instant(row, "created_at"),
                new JobId(Columns.uuid(row, "id")),
                row.getInt("priority"),
                Columns.text(row, "name")))
        .optional()
        .orElse(null);
  }

  private JobSlice jobs(String page, JobFilter filter, JobFilterSql conditions) {
    String statement =
        WITHIN_BYTES
            .text()
            .replace("/*page*/", page)
            .replace("/*order*/", "ORDER BY " + order(filter.order()));
    AtomicInteger found = new AtomicInteger();
    List<Job> jobs =
        jdbc.sql(statement)
            .params(conditions.parameters())
            .param("bytes", JobSlice.MOST_SPEC_BYTES)
            .query((row, number) -> {
              found.setPlain(row.getInt("found"));
              return JobRows.job(row, number);
            })
            .list();
    return JobSlice.of(jobs, found.getPlain(), filter.limit());
  }

  private static String ordered(
      String all, List<JobPhase> phases, JobFilter.Order order, String most) {
    String page = "\nORDER BY " + order(order) + "\nLIMIT " + most;
    List<String> each = new ArrayList<>();
    for (JobPhase phase : phases.isEmpty() ? Arrays.asList(JobPhase.values()) : phases) {
      String one = all.replace(TABLE, phases.isEmpty() ? "job" : phase.table());
      each.add(along(one + "\n  AND " + phase.condition(), order, most) + page + ")");
    }
    if (phases.isEmpty()) {
      each.add(along(all.replace(TABLE, ARCHIVE), order, most) + page + ")");
    }
    return each.size() == 1
        ? each.getFirst()
        : "SELECT * FROM (" + String.join("\nUNION ALL\n", each) + ") AS each_phase" + page;
  }

  /**
   * The first rows along an index, including all jobs with the time of the last row. Indexes do not
   * contain the id, and few jobs have the same time: the jobs of one request or of requests stored
   * together. With the whole sort order, the planner would sort all rows of a phase if the
   * statistics show few rows. The SQL ends inside an open parenthesis.
   */
  private static String along(String rows, JobFilter.Order order, String most) {
    String indexed = order(order).replaceFirst(", id( DESC)?$", "");
    return "(SELECT * FROM (\n"
        + rows
        + "\nORDER BY "
        + indexed
        + "\nFETCH FIRST ("
        + most
        + ") ROWS WITH TIES) AS along";
  }

  /** Conditions that the index with the order of the list covers. */
  private static Set<Field> known(JobFilter filter, JobFilterSql conditions) {
    EnumSet<Field> known = EnumSet.of(Field.PLACE);
    switch (filter.order()) {
      case NEWEST, OLDEST -> {
        known.add(Field.CREATED);
        narrowest(filter, conditions).ifPresent(known::add);
      }
      case NAME -> known.add(Field.NAME);
      case PRIORITY -> {}
    }
    return known;
  }

  private static Optional<Field> narrowest(JobFilter filter, JobFilterSql conditions) {
    return Stream.of(Field.NAME, Field.USER, Field.QUEUE, Field.PROJECT)
        .filter(conditions::has)
        .filter(field -> field != Field.QUEUE || filter.queues().size() == 1)
        .filter(field ->
            field != Field.PROJECT || filter.projects() == null || filter.projects().size() == 1)
        .findFirst();
  }

  /** The phases to scan one by one, also in the archive. The result is empty for a single scan. */
  private static List<JobPhase> phases(JobFilter filter, Set<Field> known) {
    boolean byTime =
        filter.order() == JobFilter.Order.NEWEST || filter.order() == JobFilter.Order.OLDEST;
    boolean ofAll = known.equals(EnumSet.of(Field.PLACE, Field.CREATED));
    return byTime && ofAll || !filter.states().isEmpty()
        ? JobPhase.of(filter.states())
        : Arrays.asList(JobPhase.values());
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
