package dev.fairlead.bench.scale;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the database knows of the jobs.
 *
 * @param placed from submit to placement of each job that came during the measurement
 * @param unplaced jobs that came and have no place yet
 * @param running jobs with a live attempt
 * @param queued jobs that wait
 * @param ended jobs that ended since the measurement began
 */
record Arrivals(List<Duration> placed, long unplaced, long running, long queued, long ended) {
  private static final String CAME =
      """
      SELECT extract(epoch FROM min(a.created_at) - j.created_at)
      FROM job j LEFT JOIN attempt a ON a.job = j.id
      WHERE j.name LIKE 'come-%' GROUP BY j.id
      """;

  private static final String COUNTS =
      """
      SELECT count(*) FILTER (WHERE state IN ('ADMITTED', 'STARTING', 'RUNNING')),
             count(*) FILTER (WHERE state = 'QUEUED'),
             count(*) FILTER (WHERE ended_at >= to_timestamp(?))
      FROM job
      """;

  /**
   * @param sinceSeconds when the measurement began, in seconds of the epoch
   */
  static Arrivals of(EmbeddedDatabase database, double sinceSeconds) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        PreparedStatement counts = connection.prepareStatement(COUNTS)) {
      List<Duration> placed = new ArrayList<>();
      long unplaced = 0;
      try (ResultSet rows = statement.executeQuery(CAME)) {
        while (rows.next()) {
          double seconds = rows.getDouble(1);
          if (rows.wasNull()) {
            unplaced++;
          } else {
            placed.add(Duration.ofNanos((long) (seconds * 1e9)));
          }
        }
      }
      counts.setDouble(1, sinceSeconds);
      try (ResultSet row = counts.executeQuery()) {
        row.next();
        return new Arrivals(placed, unplaced, row.getLong(1), row.getLong(2), row.getLong(3));
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the jobs cannot be read: " + e.getMessage(), e);
    }
  }

  /** Jobs that run now, for who waits until all of them do. */
  static long runningNow(EmbeddedDatabase database) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT count(*) FROM job WHERE state = 'RUNNING'")) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("the jobs cannot be counted: " + e.getMessage(), e);
    }
  }
}
