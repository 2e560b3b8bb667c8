package dev.fairlead.integration;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Statements that prepare a server for a test. */
final class Databases {
  /** A login as a managed server gives it. */
  static final String PLAIN_OWNER =
      "CREATE ROLE plain LOGIN PASSWORD 'plain' CREATEROLE NOSUPERUSER NOBYPASSRLS";

  private Databases() {}

  static void run(String url, String user, String password, String statement) {
    try (Connection connection = DriverManager.getConnection(url, user, password);
        Statement jdbc = connection.createStatement()) {
      jdbc.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(statement, e);
    }
  }
}
