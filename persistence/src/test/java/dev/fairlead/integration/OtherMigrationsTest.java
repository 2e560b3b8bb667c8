package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A database of a development version with other migrations. */
class OtherMigrationsTest {
  /** Fails when the start lists checksums instead of the next step. */
  @Test
  void aDatabaseWithOtherMigrationsIsRefusedWithTheNextStep() {
    String url = Embedded.migratedDatabase();
    Databases.run(
        url,
        Embedded.server().user(),
        Embedded.server().password(),
        "UPDATE flyway_schema_history SET checksum = 1 WHERE version = '0004'");

    assertThatThrownBy(() ->
            PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password()))
        .hasStackTraceContaining(
            "UnfitDatabase: The database has migrations that this version does not have: Migration"
                + " checksum mismatch for migration version 0004");
  }
}
