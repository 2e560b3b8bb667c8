package dev.fairlead.kernel.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Connections outside all pools. */
public final class DirectConnection {
  private static final Logger LOG = LoggerFactory.getLogger(DirectConnection.class);

  private DirectConnection() {}

  /**
   * @param name application name in {@code pg_stat_activity}
   * @param answerSeconds connect timeout in seconds. A statement may take twice as long
   * @throws SQLException if no connection is possible
   */
  public static Connection open(JdbcConnectionDetails database, String name, int answerSeconds)
      throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("ApplicationName", name);
    properties.setProperty("connectTimeout", String.valueOf(answerSeconds));
    properties.setProperty("socketTimeout", String.valueOf(2 * answerSeconds));
    properties.setProperty("tcpKeepAlive", "true");
    if (database.getUsername() != null) {
      properties.setProperty("user", database.getUsername());
    }
    if (database.getPassword() != null) {
      properties.setProperty("password", database.getPassword());
    }
    return DriverManager.getConnection(database.getJdbcUrl(), properties);
  }

  /** Closes a connection that may be broken. */
  public static void drop(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        LOG.debug("a broken connection did not close: {}", e.getMessage());
      }
    }
  }
}
