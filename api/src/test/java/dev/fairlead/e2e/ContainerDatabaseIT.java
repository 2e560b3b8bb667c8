package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The whole service on PostgreSQL 17, the oldest supported version. Needs a container engine. The
 * login owns its database and is not a superuser, as on a managed server.
 */
@Testcontainers(disabledWithoutDocker = true)
class ContainerDatabaseIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String IMAGE =
      System.getenv().getOrDefault("FAIRLEAD_TEST_POSTGRES_IMAGE", "postgres:17");

  @Container
  private static final PostgreSQLContainer SERVER =
      new PostgreSQLContainer(DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("postgres"));

  @Test
  void aJobRunsToItsEnd() throws SQLException {
    try (Connection superuser =
            DriverManager.getConnection(
                SERVER.getJdbcUrl(), SERVER.getUsername(), SERVER.getPassword());
        Statement statement = superuser.createStatement()) {
      assertThat(superuser.getMetaData().getDatabaseMajorVersion()).isEqualTo(17);
      statement.execute("CREATE ROLE plain LOGIN PASSWORD 'plain' CREATEROLE");
      statement.execute("CREATE DATABASE fairlead OWNER plain");
    }
    String url = SERVER.getJdbcUrl().replaceFirst("/[^/?]+(\\?|$)", "/fairlead$1");
    try (RunningFairlead fairlead = RunningFairlead.startOn(url, "plain")) {
      Http http = fairlead.http();
      http.yaml(
          "/api/v1/clusters",
          "{name: contained-1, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
      String job =
          http.yaml(
                  "/api/v1/projects/default/jobs",
                  "{image: x, gpu: 8, annotations: {sim.fairlead.dev/run-for: 200ms}}")
              .json()
              .get("id")
              .asString();

      await()
          .atMost(PATIENCE)
          .until(() ->
              http.get("/api/v1/jobs/" + job)
                  .json()
                  .path("state")
                  .asString("")
                  .equals("SUCCEEDED"));
      assertThat(http.get("/api/v1/jobs/" + job + "/attempts").json().get("items")).hasSize(1);
    }
  }
}
