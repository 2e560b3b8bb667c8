package dev.fairlead.verify.load.growth;

import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.smoke.HeapInUse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Samples the resources of a service and its database. */
public final class Watch {
  private static final double MB = 1_000_000;

  /** Climb in MB below which a table or index is ignored, because a few pages are normal. */
  private static final double FEW_PAGES = 1;

  private static final double FEW_MB = 4;
  private static final double FEW = 3;

  /**
   * Tables with rows of each job until their retention ends (docs/how-to/restore.md#the-database,
   * docs/how-to/logs.md), and the chain of the audit, which is permanent. All others have only
   * current rows.
   */
  private static final Set<String> OF_EACH_JOB =
      Set.of(
          "attempt",
          "audit_link",
          "audit_record",
          "event",
          "idempotency_key",
          "job",
          "job_archive",
          "job_decision",
          "job_element",
          "job_label",
          "log_chunk",
          "log_member",
          "member",
          "use_history",
          "usage_interval",
          "gpu_interval",
          "gpu_change");

  private static final String SIZES =
      """
      SELECT coalesce(pg_partition_root(relid)::regclass, relid::regclass)::text,
             sum(pg_table_size(relid)), sum(pg_indexes_size(relid))
      FROM pg_stat_user_tables GROUP BY 1 ORDER BY 1
      """;

  private static final String COUNTS =
      """
      SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
             CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bigint),
             (SELECT count(*) FROM job WHERE NOT active),
             (SELECT count(*) FROM job WHERE active)
      """;

  private final LocalFairlead fairlead;
  private final Processes processes;
  private final boolean tables;
  private final Map<String, Series> series = new LinkedHashMap<>();
  private final long began = System.nanoTime();
  private long ended;
  private long active;

  /**
   * @param tables whether tables, indexes and the write-ahead log are sampled too
   */
  public Watch(LocalFairlead fairlead, boolean tables) {
    this.fairlead = fairlead;
    this.processes = Processes.of(fairlead);
    this.tables = tables;
  }

  /** Samples everything after a garbage collection of the service. */
  public void sample() throws IOException, InterruptedException {
    double seconds = (System.nanoTime() - began) / 1e9;
    Map<String, Double> values = new LinkedHashMap<>();
    values.put("heap after collection, MB", HeapInUse.megabytes(processes.service()));
    values.put("memory of the service (PSS), MiB", processes.serviceMiB());
    values.put("threads", (double) processes.threads());
    values.put("open files", (double) processes.openFiles());
    database(values);
    values.forEach((name, value) ->
        series.computeIfAbsent(name, Watch::series).add(seconds, (double) ended, value));
  }

  private void database(Map<String, Double> values) {
    try (Connection connection =
            DriverManager.getConnection(
                fairlead.database().url(),
                fairlead.database().user(),
                fairlead.database().password());
        Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery(COUNTS)) {
        row.next();
        values.put("database connections", row.getDouble(1));
        values.put("active jobs", row.getDouble(4));
        ended = row.getLong(3);
        active = row.getLong(4);
        if (tables) {
          values.put("write-ahead log, MB", row.getLong(2) / MB);
        }
      }
      if (tables) {
        sizes(statement, values);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the database cannot be sampled: " + e.getMessage(), e);
    }
  }

  private static void sizes(Statement statement, Map<String, Double> values) throws SQLException {
    try (ResultSet row = statement.executeQuery(SIZES)) {
      while (row.next()) {
        values.put("table " + row.getString(1) + ", MB", row.getLong(2) / MB);
        values.put("indexes " + row.getString(1) + ", MB", row.getLong(3) / MB);
      }
    }
  }

  private static Series series(String name) {
    String table = name.replaceAll("^(table|indexes) |, MB$", "");
    boolean kept = OF_EACH_JOB.contains(table) || name.startsWith("write-ahead");
    double least =
        name.startsWith("table") || name.startsWith("indexes")
            ? FEW_PAGES
            : name.endsWith("MB") || name.endsWith("MiB") ? FEW_MB : FEW;
    return new Series(name, kept ? Series.Kind.OF_EACH_JOB : Series.Kind.STEADY, least);
  }

  /** Jobs that had ended at the last sample. */
  public long ended() {
    return ended;
  }

  /** Jobs that had not ended at the last sample. */
  public long active() {
    return active;
  }

  /**
   * @param bound as in {@link Series#judge}
   */
  public List<Series.Verdict> judge(double bound) {
    return series.values().stream().map(each -> each.judge(bound)).toList();
  }
}
