package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.verify.Waiting;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;

/**
 * The database server of a run, whose commits survive the end of its processes, with a synchronous
 * standby, and the faults of both.
 */
final class PostgresServer implements AutoCloseable {
  private static final String STANDBY = "standby";
  private final EmbeddedDatabase database;
  private final Path primary;
  private final Path standby;
  private final int standbyPort;
  private ServerProgram program;

  private PostgresServer(EmbeddedDatabase database, int standbyPort) {
    this.database = database;
    this.primary = database.log().resolveSibling("data");
    this.standby = database.log().resolveSibling(STANDBY);
    this.standbyPort = standbyPort;
    this.program = ServerProgram.running(primary, port(database));
  }

  /** Starts two servers: a commit is acknowledged when both have it. */
  static PostgresServer start(int standbyPort) throws InterruptedException {
    PostgresServer server = new PostgresServer(EmbeddedDatabase.replicated(), standbyPort);
    try {
      server.copyToStandby();
      server.startStandby();
      return server;
    } catch (SQLException | IOException | RuntimeException failed) {
      server.close();
      throw new StartFailed("the standby did not start: " + failed.getMessage(), failed);
    }
  }

  /** URL of the current primary. */
  String url() {
    return database.url().replaceFirst("/postgres$", ",127.0.0.1:" + standbyPort + "/postgres")
        + "?targetServerType=primary&hostRecheckSeconds=1";
  }

  String user() {
    return database.user();
  }

  String password() {
    return database.password();
  }

  /** A connection of the superuser, which sees all rows. Only for checks. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), user(), password());
  }

  private void copyToStandby() throws SQLException, IOException {
    try (Connection connection = connect()) {
      ServerBackup.copy(connection, primary, standby);
    }
    Files.createFile(standby.resolve("standby.signal"));
    ServerBackup.set(
        standby,
        """
        primary_conninfo = 'host=127.0.0.1 port=%s user=%s application_name=%s'
        wal_retrieve_retry_interval = '200ms'
        """
            .formatted(port(database), user(), STANDBY));
  }

  private static int port(EmbeddedDatabase database) {
    return URI.create(database.url().substring("jdbc:".length())).getPort();
  }

  /** Starts the standby. From its first response on, it has every acknowledged commit. */
  private void startStandby() throws SQLException, InterruptedException {
    program.in(standby, standbyPort).begin(database.log());
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      Waiting.until("the standby follows", Waiting.PATIENCE, () -> streaming(statement));
      statement.execute("ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'");
      statement.execute("SELECT pg_reload_conf()");
    }
  }

  private static boolean streaming(Statement statement) {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")) {
      return row.next() && row.getLong(1) == 1;
    } catch (SQLException notYet) {
      return false;
    }
  }

  /** Kills the primary permanently. The standby is the only server from then. */
  void promoteStandby() throws SQLException, InterruptedException {
    stopImmediately();
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + standbyPort + "/postgres", user(), password());
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_promote(true, 60)");
    }
    program = program.in(standby, standbyPort);
    Waiting.until("the standby is the primary", Waiting.PATIENCE, this::answers);
  }

  /** Stops like {@code pg_ctl stop -m immediate}: no checkpoint, every connection is dropped. */
  void stopImmediately() {
    program.stopImmediately();
  }

  /** Starts the stopped server again. Returns once it accepts connections. */
  void startAgain() throws InterruptedException {
    program.begin(database.log());
    Waiting.until("PostgreSQL takes connections again", Waiting.PATIENCE, this::answers);
  }

  void pause() {
    Signals.send("STOP", processes());
  }

  void resume() {
    Signals.send("CONT", processes());
  }

  private Stream<ProcessHandle> processes() {
    ProcessHandle server = program.process().orElseThrow();
    return Stream.concat(Stream.of(server), server.descendants());
  }

  private boolean answers() {
    try (Connection connection = connect()) {
      return connection.isValid(5);
    } catch (SQLException notYet) {
      return false;
    }
  }

  @Override
  public void close() {
    program.in(standby, standbyPort).stopImmediately();
    database.close();
  }
}
