package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Lookup of old logs among many removed ones. */
class LogSweepTest {
  private static final String FILL =
      """
      INSERT INTO log_member (attempt, role, idx, incarnation, tenant, project, job, taken, sequence, bytes, stored, gaps,
                              ended_at, removed)
        SELECT gen_random_uuid(), 'worker', 0, 0, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0, 1, 1, 0, 0,
          now() - make_interval(days => 15 + i % 5), CASE WHEN i % 1000 > 0 THEN 'AGE' END
        FROM generate_series(1, 20000) i;
      ANALYZE log_member
      """;

  private static String plan(Statement jdbc, String file) throws SQLException {
    String query = SqlFile.named("log/" + file).text();
    StringBuilder plan = new StringBuilder();
    String bound = query.replace(":seconds", "1209600").replace(":limit", "50");
    try (ResultSet rows = jdbc.executeQuery("EXPLAIN " + bound)) {
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }

  /** Fails when each pass reads all objects that were removed in the last days. */
  @Test
  void removedLogIsNotRead() throws SQLException {
    String url = Embedded.migratedDatabase();
    String user = Embedded.server().user();
    String password = Embedded.server().password();
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement jdbc = connection.createStatement()) {
      jdbc.execute("SET session_replication_role = replica");
      jdbc.execute(FILL);

      assertThat(plan(jdbc, "ended-before")).contains("log_member_kept");
    }
  }
}
