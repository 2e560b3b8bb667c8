package dev.fairlead.bench.queue;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What a database has done since it was made.
 *
 * @param commits transactions that were committed
 * @param rows inserted, updated or deleted
 * @param walBytes written to the log
 */
record DatabaseWork(long commits, long rows, long walBytes) {
  private static final String READ =
      """
      SELECT xact_commit, tup_inserted + tup_updated + tup_deleted,
             CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bigint)
      FROM pg_stat_database WHERE datname = current_database()
      """;

  /** Sessions report what they did about a second after they fell idle. */
  static final long REPORTED_AFTER_MILLIS = 1_500;

  static DatabaseWork of(EmbeddedDatabase database) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(READ)) {
      row.next();
      return new DatabaseWork(row.getLong(1), row.getLong(2), row.getLong(3));
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the database's counters cannot be read: " + e.getMessage(), e);
    }
  }

  DatabaseWork since(DatabaseWork earlier) {
    return new DatabaseWork(
        commits - earlier.commits, rows - earlier.rows, walBytes - earlier.walBytes);
  }
}
