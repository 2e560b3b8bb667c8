package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/**
 * Counts the statements that a server executes, from its log. Logging costs time, so no other
 * figure is measured at the same time.
 */
final class StatementLog {
  private static final Pattern EXECUTED =
      Pattern.compile("LOG: +duration: [0-9.]+ ms +(execute|statement)\\b");

  /** Sessions read a changed setting before their next statement. */
  private static final long SETTING_MILLIS = 500;

  private final EmbeddedDatabase database;
  private final long from;

  private StatementLog(EmbeddedDatabase database, long from) {
    this.database = database;
    this.from = from;
  }

  /** Starts to log. */
  static StatementLog begin(EmbeddedDatabase database) throws InterruptedException {
    set(database, "0");
    Thread.sleep(SETTING_MILLIS);
    return new StatementLog(database, size(database));
  }

  /** Stops logging and returns the number of executed statements, including BEGIN and COMMIT. */
  long end() throws InterruptedException {
    long to = size(database);
    set(database, "-1");
    Thread.sleep(SETTING_MILLIS);
    return executed(text(from, to));
  }

  static long executed(String log) {
    return EXECUTED.matcher(log).results().count();
  }

  private String text(long start, long end) {
    try {
      byte[] log = Files.readAllBytes(database.log());
      return new String(log, (int) start, (int) (end - start), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the log of the database cannot be read", e);
    }
  }

  private static long size(EmbeddedDatabase database) {
    try {
      return Files.size(database.log());
    } catch (IOException e) {
      throw new UncheckedIOException("the log of the database cannot be read", e);
    }
  }

  private static void set(EmbeddedDatabase database, String millis) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SYSTEM SET log_min_duration_statement = " + millis);
      statement.execute("SELECT pg_reload_conf()");
    } catch (SQLException e) {
      throw new IllegalStateException("the database's log cannot be set: " + e.getMessage(), e);
    }
  }
}
