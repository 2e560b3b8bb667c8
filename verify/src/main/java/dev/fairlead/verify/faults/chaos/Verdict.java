package dev.fairlead.verify.faults.chaos;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.verify.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Compares the responses to the clients with the final state. */
final class Verdict {
  /** Time without any end after which the wait fails: longer than the longest back-off. */
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private final PostgresServer server;

  Verdict(PostgresServer server) {
    this.server = server;
  }

  private record Row(UUID id, String state, String failure) {}

  /**
   * Waits until every job has ended and none has objects on a cluster. Continues while jobs end,
   * because the backlog at the last submit may take the clusters an hour.
   */
  Duration awaitEnd() throws InterruptedException {
    Duration waited = Duration.ZERO;
    for (long left = left(); left > 0; left = left()) {
      long before = left;
      waited =
          waited.plus(
              Waiting.until("a different open attempt has ended", PATIENCE, () -> left() < before));
    }
    return waited;
  }

  /**
   * Number of jobs that have not ended, and of attempts that are not cleaned up. The maximum if the
   * database does not answer, so that the wait does not end.
   */
  private long left() {
    long jobs = count("SELECT count(*) FROM job WHERE active");
    long attempts = count("SELECT count(*) FROM attempt WHERE retired_at IS NULL");
    return jobs < 0 || attempts < 0 ? Long.MAX_VALUE : jobs + attempts;
  }

  /** Describes the open jobs. */
  String open() {
    return count("SELECT count(*) FROM job WHERE active")
        + " jobs are active, "
        + count("SELECT count(*) FROM attempt WHERE retired_at IS NULL")
        + " attempts are not retired";
  }

  private long count(String sql) {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException away) {
      return -1;
    }
  }

  /**
   * Violations: every acknowledged job must exist, once for its key, and in a permitted terminal
   * state. Empty for none.
   */
  List<String> wrong(History history, int submits) throws SQLException {
    Map<Integer, List<Row>> stored = stored();
    List<String> wrong = new ArrayList<>(history.surprises());
    for (int number = 0; number < submits; number++) {
      History.Told told = history.told().get(number);
      List<Row> rows = stored.getOrDefault(number, List.of());
      if (told == null) {
        wrong.add("submit " + number + " was never acknowledged");
      } else if (rows.size() != 1) {
        wrong.add("key chaos-" + number + " made " + rows.size() + " jobs: " + rows);
      } else if (!IdText.decode(IdKind.JOB, told.job())
          .equals(java.util.Optional.of(rows.getFirst().id()))) {
        wrong.add("submit " + number + " was answered with " + told.job() + ", stored is " + rows);
      } else if (!told.kind().mayEnd(rows.getFirst().state())) {
        wrong.add(told.kind() + " " + told.job() + " ended as " + rows.getFirst());
      }
    }
    return wrong;
  }

  private Map<Integer, List<Row>> stored() throws SQLException {
    Map<Integer, List<Row>> stored = new TreeMap<>();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id, (labels ->> '"
                    + JobClients.LABEL
                    + "')::int, state, failure FROM job WHERE labels ->> '"
                    + JobClients.LABEL
                    + "' IS NOT NULL")) {
      while (rows.next()) {
        Row row =
            new Row(
                rows.getObject(1, UUID.class),
                rows.getString(3),
                String.valueOf(rows.getString(4)));
        stored.computeIfAbsent(rows.getInt(2), n -> new ArrayList<>()).add(row);
      }
    }
    return stored;
  }
}
