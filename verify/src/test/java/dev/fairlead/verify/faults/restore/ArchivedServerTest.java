package dev.fairlead.verify.faults.restore;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.launcher.LoopbackPorts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchivedServerTest {
  static Stream<Named<ArchivedServer.Kind>> kinds() {
    return Stream.of(
        Named.of("copies of files", CopiedArchive::new),
        Named.of("barman-cloud and S3", BarmanArchive::start));
  }

  private static ArchivedServer archived(ArchivedServer.Kind kind) throws Exception {
    try {
      return ArchivedServer.start(kind);
    } catch (BarmanArchive.Unavailable missing) {
      assumeTrue("true".equals(System.getenv("CI")), missing.getMessage());
      throw missing;
    }
  }

  /**
   * Fails when the archive is not replayed (the row of the log is missing), or is replayed to its
   * end (a row that was committed later exists).
   */
  @ParameterizedTest
  @MethodSource("kinds")
  void restoreContainsExactlyTheCommitsBeforeThePointInTime(ArchivedServer.Kind kind)
      throws Exception {
    try (ArchivedServer server = archived(kind)) {
      execute(server, "CREATE TABLE fact AS SELECT 'in the base backup' AS text");
      server.backUp();
      execute(server, "INSERT INTO fact VALUES ('in the log')");
      Instant point = server.now();
      execute(server, "INSERT INTO fact VALUES ('too late')");
      server.awaitArchived();
      server.lose();

      server.restore("restored", point, LoopbackPorts.anyPort());

      assertThat(facts(server)).satisfies(output("archived-server.base-backup-log"));
      assertThat(server.lastCommit()).isBeforeOrEqualTo(point);
    }
  }

  private static void execute(ArchivedServer server, String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String facts(ArchivedServer server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT string_agg(text, ', ' ORDER BY text) FROM fact")) {
      row.next();
      return row.getString(1);
    }
  }
}
