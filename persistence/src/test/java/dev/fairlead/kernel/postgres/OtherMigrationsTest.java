package dev.fairlead.kernel.postgres;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database of a development version with other migrations. */
class OtherMigrationsTest {
  private final String url = Embedded.migratedDatabase();
  private final String user = Embedded.server().user();
  private final String password = Embedded.server().password();

  private UnfitDatabase refused(String change) {
    int changed =
        JdbcClient.create(new DriverManagerDataSource(url, user, password)).sql(change).update();
    assertThat(changed).isOne();
    Throwable thrown = catchThrowable(() -> PostgresInstallation.on(url, user, password).close());
    return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause)
        .filter(UnfitDatabase.class::isInstance)
        .map(UnfitDatabase.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /** Fails when the start lists checksums instead of the next step. */
  @Test
  void aDatabaseWithAnotherBaselineIsRefusedWithTheNextStep() {
    UnfitDatabase refused =
        refused("UPDATE flyway_schema_history SET checksum = 1 WHERE version = '0004'");

    assertThat(refused)
        .satisfies(problem("other-migrations.migrations-database-differ-those", "0004"));
    assertThat(refused.next()).contains("use an empty database");
  }

  /** Fails when the message lists a migration of this version as missing. */
  @Test
  void aDatabaseWithoutAnEarlierMigrationIsRefused() {
    assertThat(refused("DELETE FROM flyway_schema_history WHERE version = '3401'"))
        .hasMessageStartingWith(
            "The migrations of the database differ from those of this version: Detected resolved"
                + " migration not applied to database: 3401");
  }
}
