package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Lookup of one GPU among many with long histories, by indexes alone. */
class GpuLookupTest {
  private static final String FILL =
      """
      INSERT INTO gpu_device
        SELECT 'GPU-' || i, 'S-' || i, gen_random_uuid(), gen_random_uuid(), 'n', 'EVENT', now(), now(), NULL
        FROM generate_series(1, 20000) i;
      INSERT INTO gpu_change (gpu, at, kind, text)
        SELECT 'GPU-' || i % 20000, now(), 'FOUND', 'x' FROM generate_series(1, 60000) i;
      INSERT INTO incident
        SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'n', 'GPU-' || i, NULL, 79, 'x', 'NODE', 'REBOOT',
          now(), now(), 1, '', now()
        FROM generate_series(1, 20000) i;
      INSERT INTO quarantine
        SELECT gen_random_uuid(), cluster, node, id, 'x', NULL, now(), now(), now(), 'x' FROM incident;
      ANALYZE gpu_device, gpu_change, incident, quarantine
      """;

  private static Connection connection;

  @BeforeAll
  static void fill() throws SQLException {
    String url = Embedded.migratedDatabase();
    connection =
        DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
    try (Statement jdbc = connection.createStatement()) {
      jdbc.execute("SET session_replication_role = replica");
      jdbc.execute(FILL);
    }
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static String plan(String query) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (Statement jdbc = connection.createStatement();
        ResultSet rows = jdbc.executeQuery("EXPLAIN " + query)) {
      while (rows.next()) {
        plan.append(rows.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }

  private static String query(String file) {
    return SqlFile.named("health/" + file)
        .text()
        .replace(":called", "'S-77'")
        .replace(":gpu", "'GPU-77'")
        .replace(":nodes", "ARRAY['01900000-0000-7000-8000-00000000aaaa'::uuid]")
        .replace(":limit", "500")
        .replace(":read", "0")
        .replace(":at", "now()");
  }

  /**
   * Fails without an index of serial numbers, of the devices of a node, or of the history of a GPU.
   */
  @Test
  void noTableIsScannedInFull() throws SQLException {
    for (String file : new String[] {"gpus-called", "gpus-of-nodes", "gpu-history"}) {
      assertThat(plan(query(file))).as(file).contains("Index").doesNotContain("Seq Scan");
    }
  }

  /** Fails when this test would overlook a sequential scan. */
  @Test
  void readWithoutItsIndexIsDetected() throws SQLException {
    assertThat(plan("SELECT uuid FROM gpu_device WHERE node_name = 'x'")).contains("Seq Scan");
  }

  /** Fails when incidents or quarantines that are long over are read for a timeline. */
  @Test
  void timelineReadsOnlyRelevantRows() throws SQLException {
    String stay =
        "'[{\"node\":\"%1$s\",\"cluster\":\"%1$s\",\"since\":\"%2$s\",\"until\":\"%3$s\"}]'"
            .formatted(
                "01900000-0000-7000-8000-00000000aaaa",
                "2031-01-01T00:00:00Z",
                "9999-12-31T23:59:59Z");
    String id = "CAST('01900000-0000-7000-8000-00000000aaaa' AS uuid)";
    String since = "TIMESTAMPTZ '2031-01-01T00:00:00Z'";
    for (String file : new String[] {"entries", "stays-of-cluster", "stays-of-job"}) {
      String query =
          SqlFile.named("timeline/" + file)
              .text()
              .replace(":stays", stay)
              .replace(":fleet", "true")
              .replace(":forever", since)
              .replace(":from", since)
              .replace(":since", since)
              .replace(":at", since)
              .replace(":source", "''")
              .replace(":key", "''")
              .replace(":tenant", id)
              .replace(":job", id)
              .replace(":cluster", id)
              .replace(":limit", "500");
      assertThat(plan(query))
          .as(file)
          .doesNotContain("Seq Scan on incident")
          .doesNotContain("Seq Scan on quarantine")
          .doesNotContain("Seq Scan on event");
    }
  }
}
