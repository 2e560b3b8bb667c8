package dev.fairlead.verify.load.kueue;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Final statistics of the jobs of one class from the database.
 *
 * @param jobs jobs of the class
 * @param succeeded number of jobs that succeeded
 * @param waited mean seconds from the submit to the last admission, as Kueue's test counts it
 * @param held seconds of held quota, all attempts together
 * @param evictions attempts evicted for other jobs
 * @param times times of the class, in seconds of the epoch
 */
record JobTimes(
    long jobs, long succeeded, double waited, double held, long evictions, Times times) {

  /**
   * @param firstSubmit time of the first submit
   * @param lastAdmission time of the last admission
   * @param lastEnd time of the last end
   */
  record Times(double firstSubmit, double lastAdmission, double lastEnd) {}

  private static final String READ =
      """
      SELECT count(*), count(*) FILTER (WHERE state = 'SUCCEEDED'),
             avg(extract(epoch FROM admitted - created_at)), sum(held), sum(evictions),
             min(extract(epoch FROM created_at)), max(extract(epoch FROM admitted)),
             max(extract(epoch FROM ended_at))
      FROM (
        SELECT j.state, j.created_at, j.ended_at, max(a.created_at) AS admitted,
               sum(extract(epoch FROM a.ended_at - a.created_at)) AS held,
               count(*) FILTER (WHERE a.state = 'PREEMPTED') AS evictions
        FROM job j JOIN attempt a ON a.job = j.id
        WHERE j.name LIKE ? || '-%'
        GROUP BY j.id) AS life
      """;

  /**
   * @param label prefix of the names of the jobs
   * @throws IllegalStateException when there is none, or not all have succeeded
   */
  static JobTimes of(EmbeddedDatabase database, String label) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        PreparedStatement statement = connection.prepareStatement(READ)) {
      statement.setString(1, label);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        Times times = new Times(row.getDouble(6), row.getDouble(7), row.getDouble(8));
        JobTimes lives =
            new JobTimes(
                row.getLong(1),
                row.getLong(2),
                row.getDouble(3),
                row.getDouble(4),
                row.getLong(5),
                times);
        return lives.sound(label);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the jobs cannot be read: " + e.getMessage(), e);
    }
  }

  private JobTimes sound(String label) {
    if (jobs == 0 || succeeded < jobs) {
      throw new IllegalStateException(
          succeeded + " of " + jobs + " jobs " + label + " succeeded, so the figures mean nothing");
    }
    return this;
  }
}
