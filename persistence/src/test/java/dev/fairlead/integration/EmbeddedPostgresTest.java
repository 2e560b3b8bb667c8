package dev.fairlead.integration;

import dev.fairlead.work.world.Stores;

/** The conformance suites on the embedded server, PostgreSQL 18. */
class EmbeddedPostgresTest extends PostgresContracts {
  @Override
  Stores installation() {
    return Embedded.installation();
  }
}
