package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Faults that are planted in the database of a running service, as its operator is shown them. */
class DoctorIT {
  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() {
    database = EmbeddedDatabase.start();
    fairlead = RunningFairlead.startBehind(database, database.url());
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static void sql(String... statements) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static List<JsonNode> checks() {
    return List.copyOf(fairlead.http().get("/api/v1/checks").json().get("items").values());
  }

  private static JsonNode check(String area) {
    return checks().stream()
        .filter(check -> check.get("area").asString().equals(area))
        .findFirst()
        .orElseThrow();
  }

  private static void assertProblem(String area, String found, String next) {
    JsonNode check = check(area);
    assertThat(check.get("verdict").asString()).as(check.toString()).isEqualTo("PROBLEM");
    assertThat(check.get("found").asString()).contains(found);
    assertThat(check.get("next").asString()).contains(next);
  }

  /** Fails when a fault of the database has no name, or the wrong next step, in the answer. */
  @Test
  void eachFaultIsNamedWithItsStepAndIsGoneWhenItIsRepaired() throws SQLException {
    assertThat(checks())
        .extracting(check -> check.get("area").asString())
        .contains("database", "roles", "migrations", "leases", "loops", "clocks", "partitions")
        .contains("backup");
    allIsWell();

    sql(
        "ALTER ROLE fairlead_loops BYPASSRLS",
        "UPDATE flyway_schema_history SET success = false WHERE version = '0008'",
        "INSERT INTO lease (name, holder, term, released) VALUES ('cluster/gone', 'none', 1, true)",
        "DO $$ BEGIN EXECUTE 'DROP TABLE event_d' || to_char(now() AT TIME ZONE 'UTC' + interval '1 day',"
            + " 'YYYYMMDD'); END $$");

    assertProblem("roles", "fairlead_loops", "NOBYPASSRLS");
    assertProblem("migrations", "V0008 failed", "flyway_schema_history");
    assertProblem("leases", "handed back", "FAIRLEAD_ROLES");
    assertProblem("partitions", "room for new events", "FairleadNoRoomForEvents");

    sql(
        "ALTER ROLE fairlead_loops NOBYPASSRLS",
        "UPDATE flyway_schema_history SET success = true",
        "DELETE FROM lease WHERE name = 'cluster/gone'",
        "SELECT fairlead_make_partitions()");
    allIsWell();
  }

  /** Leases and loops of a process that has just begun take a moment. */
  private static void allIsWell() {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(checks())
                .noneMatch(check -> check.get("verdict").asString().equals("PROBLEM")));
  }
}
