package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The indexes of users are exchanged while an older process writes jobs. */
class UserIndexMigrationTest {
  private final String url = Embedded.newDatabase();

  private Connection open() throws SQLException {
    Connection opened =
        DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
    opened.setAutoCommit(false);
    return opened;
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  private static String migration(String name) throws IOException {
    try (InputStream file =
        UserIndexMigrationTest.class.getResourceAsStream("/db/migration/" + name + ".sql")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Fails when the migration that holds writers up waits for one of them: a writer that locked its
   * job before and changes it now then waits for the migration, and one of the two is the victim.
   */
  @Test
  void theMigrationThatBuildsWaitsForNoWriterThatHasLockedItsJob() throws Exception {
    try (PostgresInstallation stores =
            PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
        Connection migrator = open();
        Connection writer = open()) {
      Job job = TestWorld.in(stores).submit(Specs.job("one"));
      run(
          migrator,
          """
          DROP INDEX job_tried_of_user, job_queued_of_user;
          CREATE INDEX job_active_of_user ON job (queue, submitted_by) WHERE active
          """);
      migrator.commit();

      String id = job.id().value().toString();
      run(writer, "SELECT 1 FROM job WHERE id = '" + id + "' FOR UPDATE");
      run(migrator, migration("V0490__users_are_counted_by_what_they_hold"));
      migrator.commit();
      run(writer, "UPDATE job SET priority = 7 WHERE id = '" + id + "'");
      writer.commit();
      run(migrator, migration("V0492__one_index_less_of_users"));
      migrator.commit();

      assertThat(
              stores
                  .jdbc()
                  .sql(
                      "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'job\\_%\\_of\\_user'")
                  .query(String.class)
                  .list())
          .contains("job_tried_of_user", "job_queued_of_user")
          .doesNotContain("job_active_of_user");
    }
  }
}
