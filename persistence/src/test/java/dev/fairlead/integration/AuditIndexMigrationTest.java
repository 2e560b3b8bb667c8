package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The order of the audit gets its index while an older process writes. */
class AuditIndexMigrationTest {
  private final String url = Embedded.newDatabase();

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  private static List<String> ask(Connection connection, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private static String migration(String name) throws IOException {
    try (InputStream file =
        AuditIndexMigrationTest.class.getResourceAsStream("/db/migration/" + name + ".sql")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Fails when an index is built under a lock of the whole table, or a day is left without: the
   * index of all days is then not valid.
   */
  @Test
  void theTableIsNotLockedWhileTheIndexOfADayIsBuilt() throws Exception {
    try (PostgresInstallation _ =
            PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
        Connection migrator =
            DriverManager.getConnection(
                url, Embedded.server().user(), Embedded.server().password())) {
      migrator.setAutoCommit(false);
      run(migrator, "DROP INDEX audit_record_chain");
      migrator.commit();
      run(migrator, migration("V0501__order_of_the_audit"));
      migrator.commit();

      run(migrator, migration("V0503__order_of_each_day"));
      List<String> locks =
          ask(
              migrator,
              "SELECT mode FROM pg_locks WHERE relation = 'audit_record'::regclass AND pid ="
                  + " pg_backend_pid()");
      migrator.commit();

      assertThat(locks).isSubsetOf("AccessShareLock");
      assertThat(
              ask(
                  migrator,
                  "SELECT indisvalid FROM pg_index WHERE indexrelid ="
                      + " 'audit_record_chain'::regclass"))
          .containsExactly("t");
      assertThat(migration("V0500__audit_chain")).doesNotContain("CREATE INDEX");
    }
  }
}
