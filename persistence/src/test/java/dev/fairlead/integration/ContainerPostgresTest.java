package dev.fairlead.integration;

import dev.fairlead.work.world.Stores;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The conformance suites on PostgreSQL 17, the oldest supported version. Needs a container engine.
 * The login is not a superuser: it owns its database and may create roles, as on a managed server.
 */
@Testcontainers(disabledWithoutDocker = true)
class ContainerPostgresTest extends PostgresContracts {
  private static final String IMAGE =
      System.getenv().getOrDefault("FAIRLEAD_TEST_POSTGRES_IMAGE", "postgres:17");

  @Container
  private static final PostgreSQLContainer SERVER =
      new PostgreSQLContainer(DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("postgres"));

  private static PostgresInstallation installation;

  @BeforeAll
  static void anInstallationOfAPlainOwner() {
    Databases.run(
        SERVER.getJdbcUrl(), SERVER.getUsername(), SERVER.getPassword(), Databases.PLAIN_OWNER);
    Databases.run(
        SERVER.getJdbcUrl(),
        SERVER.getUsername(),
        SERVER.getPassword(),
        "CREATE DATABASE fairlead OWNER plain");
    String url = SERVER.getJdbcUrl().replaceFirst("/[^/?]+(\\?|$)", "/fairlead$1");
    installation = PostgresInstallation.on(url, "plain", "plain");
  }

  @AfterAll
  static void theEnd() {
    installation.close();
  }

  @Override
  Stores installation() {
    return installation;
  }
}
