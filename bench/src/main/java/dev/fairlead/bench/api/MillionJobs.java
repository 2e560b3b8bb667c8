package dev.fairlead.bench.api;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies one stored job a million times, past the API: nine in ten succeeded, the others failed or
 * were cancelled, two thousand are suspended. Users, labels, names and times differ.
 */
final class MillionJobs {
  static final int JOBS = 1_000_000;

  private static final String COPY =
      """
      INSERT INTO job (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, changed_at,
                       started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version)
      SELECT gen_random_uuid(), j.tenant, j.project, j.queue, 'job-' || n, 'user-' || n %% 200,
             (ARRAY[100, 500, 1000, 2000])[1 + n %% 4], 8000, now() - n * interval '60 milliseconds', s.state,
             now() - n * interval '60 milliseconds', NULL, CASE WHEN s.state = 'SUSPENDED' THEN NULL ELSE now() END,
             1, 0, NULL, NULL, NULL, j.spec, jsonb_build_object('team', 'team-' || n %% 50), 2
      FROM job j, generate_series(1, %d) n,
           LATERAL (SELECT CASE WHEN n %% 500 = 0 THEN 'SUSPENDED' WHEN n %% 20 = 1 THEN 'FAILED'
                                WHEN n %% 20 = 2 THEN 'CANCELLED' ELSE 'SUCCEEDED' END AS state) s
      WHERE j.name = 'bench-template'
      """
          .formatted(JOBS);

  private MillionJobs() {}

  /** Ids of some of them, evenly spread. */
  static List<String> store(EmbeddedDatabase database, int sample) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      statement.execute(COPY);
      statement.execute("VACUUM (ANALYZE) job");
      List<String> ids = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery("SELECT id FROM job ORDER BY id LIMIT " + sample)) {
        while (rows.next()) {
          ids.add(rows.getString(1));
        }
      }
      return ids;
    }
  }
}
