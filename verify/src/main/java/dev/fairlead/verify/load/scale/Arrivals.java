package dev.fairlead.verify.load.scale;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.verify.Percentiles;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Statistics of the jobs from the database.
 *
 * @param placed from submit to placement of each job of the measurement, by the minute of its
 *     submit
 * @param unplaced submitted jobs without a placement
 * @param running jobs with a live attempt
 * @param queued waiting jobs
 * @param ended jobs that ended since the measurement began
 */
record Arrivals(
    SortedMap<Integer, List<Duration>> placed,
    long unplaced,
    long running,
    long queued,
    long ended) {
  private static final String CAME =
      """
      SELECT extract(epoch FROM min(a.created_at) - j.created_at),
             CAST(floor((extract(epoch FROM j.created_at) - ?) / 60) AS integer)
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
   * @param sinceSeconds start of the measurement, in seconds of the epoch
   */
  static Arrivals of(EmbeddedDatabase database, double sinceSeconds) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        PreparedStatement came = connection.prepareStatement(CAME);
        PreparedStatement counts = connection.prepareStatement(COUNTS)) {
      SortedMap<Integer, List<Duration>> placed = new TreeMap<>();
      long unplaced = 0;
      came.setDouble(1, sinceSeconds);
      try (ResultSet rows = came.executeQuery()) {
        while (rows.next()) {
          double seconds = rows.getDouble(1);
          if (rows.wasNull()) {
            unplaced++;
          } else {
            placed
                .computeIfAbsent(rows.getInt(2), none -> new ArrayList<>())
                .add(Duration.ofNanos((long) (seconds * 1e9)));
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

  /** Placement times of all minutes. */
  Percentiles allPlaced() {
    return new Percentiles(placed.values().stream().flatMap(List::stream).toList());
  }

  /** Number of running jobs, for a wait until all run. */
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
