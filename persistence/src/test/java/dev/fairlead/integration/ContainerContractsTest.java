package dev.fairlead.integration;

import dev.fairlead.work.world.Stores;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Every conformance suite on PostgreSQL 17. Needs a container engine. */
@Tag("long")
@Testcontainers(disabledWithoutDocker = true)
class ContainerContractsTest extends PostgresContracts {
  @Container private static final PostgreSQLContainer SERVER = ContainerServer.container();

  private static PostgresInstallation installation;

  @BeforeAll
  static void start() {
    installation = ContainerServer.installation(SERVER);
  }

  @AfterAll
  static void stop() {
    installation.close();
  }

  @Override
  Stores installation() {
    return installation;
  }
}
