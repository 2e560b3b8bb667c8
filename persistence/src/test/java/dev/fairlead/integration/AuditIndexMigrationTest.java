package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The order of the audit gets its index while an older process writes. */
class AuditIndexMigrationTest {
  private static final String DAYS =
      "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
          + " WHERE i.inhparent = 'audit_record'::regclass ORDER BY c.relname";
  private static final String INDEXED =
      "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
          + " WHERE i.inhparent = 'audit_record_chain'::regclass";
  private static final String VALID =
      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'audit_record_chain'::regclass";

  private final String url = Embedded.newDatabase();

  private Connection connection() throws SQLException {
    return DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
  }

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
   * Fails when an index is built under a lock of the whole table or in one transaction with others,
   * or a day is left without: the index of all days is then not valid.
   */
  @Test
  void eachDayGetsItsIndexByItselfAndWaitsForItsOwnWritersAlone() throws Exception {
    try (PostgresInstallation _ =
            PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
        Connection migrator = connection();
        Connection writer = connection();
        ExecutorService background = Executors.newSingleThreadExecutor()) {
      run(migrator, "DROP INDEX audit_record_chain");
      migrator.setAutoCommit(false);
      run(migrator, migration("V0501__order_of_the_audit"));
      migrator.commit();
      migrator.setAutoCommit(true);
      List<String> days = ask(writer, DAYS);
      writer.setAutoCommit(false);
      run(writer, "LOCK TABLE " + days.getLast() + " IN ROW EXCLUSIVE MODE");

      Future<?> migrated =
          background.submit(() -> {
            // one by one, as Flyway does: what is sent together is one transaction
            run(migrator, "SET ROLE fairlead_owner");
            run(migrator, "SET lock_timeout = '1s'");
            String file = migration("V0503__order_of_each_day");
            run(migrator, file.substring(file.indexOf("DO $$"), file.indexOf("$$;") + 2));
            return null;
          });
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(ask(writer, INDEXED)).hasSizeGreaterThanOrEqualTo(days.size() - 1));
      assertThat(ask(writer, INDEXED)).doesNotContain(days.getLast() + "_chain");
      assertThat(ask(writer, VALID)).containsExactly("f");
      writer.commit();
      Object _ = migrated.get(2, TimeUnit.MINUTES);

      assertThat(ask(writer, VALID)).containsExactly("t");
      assertThat(migration("V0500__audit_chain")).doesNotContain("CREATE INDEX");
    }
  }
}
