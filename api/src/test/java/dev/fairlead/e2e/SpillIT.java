package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The report of use outside reserved capacity, requested by a caller. */
class SpillIT {
  private static final String REPORT =
      "/api/v1/reports/spill?from=2030-01-01T00:30:00Z&to=2030-01-01T01:30:00Z";
  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() throws SQLException {
    database = MigratedDatabase.start();
    fairlead = RunningFairlead.startBehind(database, database.url());
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, model, capacity, detail, amount)"
            + " SELECT 'SPILL', 'HOUR', h, t.id, 'H100', 'ON_DEMAND', c, 1800000000 FROM tenant t,"
            + " generate_series(1893456000000, 1893466800000, 3600000) AS h,"
            + " unnest(ARRAY['FREE_IN_CLUSTER', 'FULL', 'NO_SUCH_MODEL']) AS c");
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, model, detail, amount)"
            + " VALUES ('RESERVED', 'HOUR', 1893456000000, NULL, 'H100', 'FREE', 3600000000),"
            + " ('RESERVED', 'HOUR', 1893456000000, gen_random_uuid(), 'H100', 'USED', 3600000000)");
  }

  private static void sql(String statement) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement work = connection.createStatement()) {
      work.execute(statement);
    }
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  /** Fails when hours are cut off, causes do not add up, or other tenants' GPUs are shown. */
  @Test
  void causesAddUpToTheUseOfWholeHours() {
    JsonNode report = fairlead.http().get(REPORT).json();

    assertThat(report.get("from").asString()).isEqualTo("2030-01-01T00:00:00Z");
    assertThat(report.get("to").asString()).isEqualTo("2030-01-01T02:00:00Z");
    assertThat(report.get("preliminary").asBoolean()).isTrue();
    JsonNode spill = report.get("spill").get(0);
    assertThat(spill.get("gpuHours").asDouble()).isEqualTo(3.0);
    assertThat(spill.get("servableMilliGpuMillis").asLong()).isEqualTo(3_600_000_000L);
    assertThat(spill.get("causes")).hasSize(3);
    assertThat(report.get("reserved")).hasSize(1);
    assertThat(report.get("reserved").get(0).get("tenant").isNull()).isTrue();
    assertThat(fairlead.http().get(REPORT + "&everyTenant=true").json().get("reserved")).hasSize(2);
  }

  /** Fails when a report may read without bound. */
  @Test
  void requestedSpanIsBounded() {
    assertThat(fairlead.http().get("/api/v1/reports/spill?from=2001-01-01T00:00:00Z").body())
        .contains("at most 1160 days");
  }
}
