package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Blocks the next pass of the accounting loops until it is closed: each pass begins with its fence
 * row, which this locks.
 */
final class BlockedLoops implements AutoCloseable {
  private final Connection connection;

  private BlockedLoops(Connection connection) {
    this.connection = connection;
  }

  static BlockedLoops hold(EmbeddedDatabase database) throws SQLException {
    Connection connection = connect(database);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT FROM fence WHERE name IN ('usage', 'budgets', 'counters') ORDER BY name FOR"
              + " UPDATE");
    }
    return new BlockedLoops(connection);
  }

  static Connection connect(EmbeddedDatabase database) throws SQLException {
    return DriverManager.getConnection(database.url(), database.user(), database.password());
  }

  static long number(EmbeddedDatabase database, String query) {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("the database does not answer: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.rollback();
    connection.close();
  }
}
