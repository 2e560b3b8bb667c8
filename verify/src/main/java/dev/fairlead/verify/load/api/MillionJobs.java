package dev.fairlead.verify.load.api;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies one stored job many times, bypassing the API: nine in ten succeeded, the others failed or
 * were cancelled, one in five hundred is suspended. Users, labels, names and times differ. Jobs of
 * the sample have an attempt.
 */
final class MillionJobs {
  private static final int SAMPLE = 10_000;

  private static final String LABELS =
      "INSERT INTO job_label (tenant, job, label) SELECT j.tenant, j.id, l.key || '=' || l.value"
          + " FROM job j, jsonb_each_text(j.labels) l";

  private static final String TALLY =
      "INSERT INTO job_tally SELECT tenant, project, queue, state, submitted_by, count(*),"
          + " sum(gpu_milli) FROM job WHERE NOT active GROUP BY 1, 2, 3, 4, 5";

  private static final String ATTEMPTS =
      """
      INSERT INTO attempt (id, job, element, number, tenant, state, cluster, epoch, created_at, started_at, ended_at,
                           retired_at)
      SELECT uuidv7(), j.id, 0, 1, j.tenant, 'SUCCEEDED', c.id, 1, now(), now(), now(), now()
      FROM cluster c, (SELECT id, tenant FROM job WHERE name <> 'bench-template' ORDER BY id LIMIT %d) j;
      INSERT INTO member (attempt, role, idx, tenant, ordinal, incarnation, state, node, node_name, model, capacity, cpu,
                          memory_mib, gpu, pods, extended, gpus)
      SELECT a.id, 'worker', 0, a.tenant, 0, 0, 'SUCCEEDED', gen_random_uuid(), 'gpu-1', 'H100', 'RESERVED', 8000, 65536,
             8000, 1, '{}', '[]' FROM attempt a WHERE NOT EXISTS (SELECT FROM member m WHERE m.attempt = a.id)
      """
          .formatted(SAMPLE);

  private MillionJobs() {}

  private static String copies(int jobs) {
    return """
    INSERT INTO job (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, changed_at,
                     started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version)
    SELECT uuidv7(n * interval '-60 milliseconds'), j.tenant, j.project, j.queue, 'job-' || n, 'user-' || n %% 200,
           (ARRAY[100, 500, 1000, 2000])[1 + n / 20 %% 4], 8000, now() - n * interval '60 milliseconds', s.state,
           now() - n * interval '60 milliseconds', NULL, CASE WHEN s.state = 'SUSPENDED' THEN NULL ELSE now() END,
           1, 0, NULL, NULL, NULL, j.spec,
           jsonb_build_object('team', 'team-' || n %% 50, 'sweep', 'sweep-' || n / 10,
                              'batch', 'batch-' || n / 9000, 'tier', 'tier-' || n %% 3), 2
    FROM job j, generate_series(1, %d) n,
         LATERAL (SELECT CASE WHEN n %% 500 = 0 THEN 'SUSPENDED' WHEN n %% 20 = 1 THEN 'FAILED'
                              WHEN n %% 20 = 2 THEN 'CANCELLED' ELSE 'SUCCEEDED' END AS state) s
    WHERE j.name = 'bench-template'
    """
        .formatted(jobs);
  }

  /** Returns a sample of job ids, evenly spread. */
  static List<String> store(EmbeddedDatabase database, int jobs) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      statement.execute(copies(jobs));
      statement.execute(LABELS);
      statement.execute(TALLY);
      statement.execute(ATTEMPTS);
      statement.execute("VACUUM (ANALYZE) job, job_label, job_tally, attempt, member");
      statement.execute("CHECKPOINT"); // pending writes of the copy are not part of the figures
      List<String> ids = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery("SELECT id FROM job ORDER BY id LIMIT " + SAMPLE)) {
        while (rows.next()) {
          ids.add(rows.getString(1));
        }
      }
      return ids;
    }
  }
}
