package dev.fairlead.integration;

import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A PostgreSQL 17 container, the oldest supported version. The login is not a superuser: it owns
 * its database and may create roles, as on a managed server.
 */
final class ContainerServer {
  private static final String IMAGE =
      System.getenv().getOrDefault("FAIRLEAD_TEST_POSTGRES_IMAGE", "postgres:17");

  private ContainerServer() {}

  static PostgreSQLContainer container() {
    return new PostgreSQLContainer(
        DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("postgres"));
  }

  /** Creates an installation in a new database that a role without special rights owns. */
  static PostgresInstallation installation(PostgreSQLContainer server) {
    run(server, Databases.PLAIN_OWNER);
    run(server, "CREATE DATABASE fairlead OWNER plain");
    String url = server.getJdbcUrl().replaceFirst("/[^/?]+(\\?|$)", "/fairlead$1");
    return PostgresInstallation.on(url, "plain", "plain");
  }

  private static void run(PostgreSQLContainer server, String statement) {
    Databases.run(server.getJdbcUrl(), server.getUsername(), server.getPassword(), statement);
  }
}
