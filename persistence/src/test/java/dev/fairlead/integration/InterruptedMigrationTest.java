package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process, or its connection, ends in the middle of a migration. */
class InterruptedMigrationTest {
  private static final String WAITING =
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
          + " AND wait_event_type = 'Lock'";

  private final String url = Embedded.newDatabase();

  private Connection connection() throws SQLException {
    return DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
  }

  private PostgresInstallation start() {
    return PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
  }

  /** The only value, empty if none. */
  private static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "";
    }
  }

  /** Migrates up to a version, and ends the next migration while it waits for a lock. */
  private void interrupt(String before, String lock) throws Exception {
    Embedded.migrate(url, before);
    try (Connection holder = connection();
        Connection observer = connection();
        ExecutorService background = Executors.newSingleThreadExecutor()) {
      holder.setAutoCommit(false);
      try (Statement statement = holder.createStatement()) {
        statement.execute(lock);
      }
      Future<?> started = background.submit(() -> start().close());
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> ask(observer, WAITING), pid -> !pid.isEmpty());
      assertThat(ask(observer, "SELECT pg_terminate_backend((%s LIMIT 1))".formatted(WAITING)))
          .isEqualTo("t");
      assertThatThrownBy(() -> started.get(1, TimeUnit.MINUTES)).hasMessageContaining("flyway");
      holder.rollback();
    }
  }

  private void nextStartIsWhole() throws SQLException {
    try (PostgresInstallation installation = start();
        Connection observer = connection()) {
      assertThat(installation.tenants().tenantNamed("default")).isPresent();
      assertThat(ask(observer, "SELECT count(*) FROM flyway_schema_history WHERE NOT success"))
          .isEqualTo("0");
    }
  }

  /**
   * Fails when the migration commits in parts: the installation would exist without its project.
   */
  @Test
  void interruptedMigrationLeavesNothingAndTheNextStartMigrates() throws Exception {
    interrupt("0025", "LOCK TABLE project IN ACCESS EXCLUSIVE MODE");

    try (Connection observer = connection()) {
      assertThat(ask(observer, "SELECT max(version) FROM flyway_schema_history")).isEqualTo("0025");
      assertThat(ask(observer, "SELECT count(*) FROM installation")).isEqualTo("0");
    }
    nextStartIsWhole();
  }
}
