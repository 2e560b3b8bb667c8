package dev.fairlead.verify.faults.restore;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.verify.Waiting;
import dev.fairlead.verify.faults.chaos.ServerBackup;
import dev.fairlead.verify.faults.chaos.ServerProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * PostgreSQL with a base backup and an archive of its write-ahead log, and servers restored from
 * both. One server runs at a time.
 */
final class ArchivedServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Pattern LAST_COMMIT =
      Pattern.compile("last completed transaction was at log time (\\S+) (\\S+)[+]00");

  /** The settings of the server do not accept {@code Z}. */
  private static final DateTimeFormatter TARGET =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS'+00'", Locale.ROOT);

  private final EmbeddedDatabase database;
  private final Path home;
  private final Archive archive;
  private long archived;
  private ServerProgram program;
  private Path log;

  private ArchivedServer(EmbeddedDatabase database, Archive archive) {
    this.database = database;
    this.archive = archive;
    this.log = database.log();
    this.home = log.resolveSibling("");
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    this.program = ServerProgram.running(home.resolve("data"), port);
  }

  /** Creates the archive in the directory of a server. */
  interface Kind {
    Archive in(Path home) throws IOException, InterruptedException, BarmanArchive.Unavailable;
  }

  /** Starts an empty server that archives its write-ahead log after at most five seconds. */
  static ArchivedServer start(Kind kind)
      throws SQLException, IOException, InterruptedException, BarmanArchive.Unavailable {
    EmbeddedDatabase database = EmbeddedDatabase.archived();
    ArchivedServer server = null;
    try {
      server = new ArchivedServer(database, kind.in(database.log().resolveSibling("")));
      server.execute(
          "ALTER SYSTEM SET archive_command = '%s'".formatted(server.archive.archiveCommand()));
      server.execute("SELECT pg_reload_conf()");
      return server;
    } catch (RuntimeException
        | SQLException
        | IOException
        | InterruptedException
        | BarmanArchive.Unavailable failed) {
      if (server == null) {
        database.close();
      } else {
        server.close();
      }
      throw failed;
    }
  }

  /** Description of its archive. */
  String archive() {
    return archive.text();
  }

  /** URL of the running server. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + program.port() + "/postgres";
  }

  String user() {
    return database.user();
  }

  String password() {
    return database.password();
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), user(), password());
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The server's time. */
  Instant now() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  /** Creates the base backup and returns the size of its source in MiB. */
  long backUp() throws SQLException, IOException, InterruptedException {
    long size = mebibytes(program.data());
    try (Connection connection = connect()) {
      archive.backUp(program, connection, password());
    }
    return size;
  }

  private static long mebibytes(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).mapToLong(ArchivedServer::size).sum() >> 20;
    }
  }

  /** Size of a file, 0 if the server has removed it. */
  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException removed) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the archive has everything that was committed before now. */
  void awaitArchived() throws SQLException, InterruptedException {
    /* A separate record, since an empty segment is neither filled nor archived. */
    String message = "pg_logical_emit_message(false, 'archived', '')";
    String segment = one("SELECT pg_walfile_name(" + message + ")");
    Waiting.until(
        "the archive holds " + segment,
        PATIENCE,
        () -> {
          try {
            return one("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver")
                    .compareTo(segment)
                >= 0;
          } catch (SQLException failed) {
            throw new IllegalStateException(failed);
          }
        });
    archived = Long.parseLong(one("SELECT archived_count FROM pg_stat_archiver"));
  }

  private String one(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Archived files of the write-ahead log at the last wait. */
  long archivedFiles() {
    return archived;
  }

  /** Kills the server, and its directory is never read again. */
  void lose() {
    program.stopImmediately();
  }

  /**
   * Restores the base backup, replays the archive up to a time, and starts a server on that state.
   *
   * @param name name of the directory of the restored server, not used before
   * @param port a free one of 127.0.0.1
   * @return time until it accepts connections
   */
  Duration restore(String name, Instant target, int port) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Path data = home.resolve(name);
    archive.fetch(data);
    Files.createFile(data.resolve("recovery.signal"));
    ServerBackup.set(
        data,
        """
        restore_command = '%s'
        recovery_target_time = '%s'
        recovery_target_timeline = 'current'
        recovery_target_action = 'promote'
        archive_command = 'true'
        timezone = 'UTC'
        """
            .formatted(
                archive.restoreCommand(),
                OffsetDateTime.ofInstant(target, ZoneOffset.UTC).format(TARGET)));
    program = program.in(data, port);
    log = home.resolve(name + ".log");
    program.begin(log);
    awaitWrites();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private void awaitWrites() throws IOException, InterruptedException {
    try {
      Waiting.until("the restored server takes writes", PATIENCE, this::takesWrites);
    } catch (IllegalStateException late) {
      List<String> said = Files.readAllLines(log);
      String end = String.join("\n", said.subList(Math.max(0, said.size() - 20), said.size()));
      throw new IllegalStateException(late.getMessage() + ", its log ends with\n" + end, late);
    }
  }

  private boolean takesWrites() {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT NOT pg_is_in_recovery()")) {
      return row.next() && row.getBoolean(1);
    } catch (SQLException notYet) {
      return false;
    }
  }

  /** Time of the last commit in the restored state, from the server's log. */
  Instant lastCommit() throws IOException {
    Matcher said = LAST_COMMIT.matcher(Files.readString(log));
    if (!said.find()) {
      throw new IllegalStateException(log + " names no last transaction");
    }
    return LocalDateTime.parse(said.group(1) + "T" + said.group(2)).toInstant(ZoneOffset.UTC);
  }

  @Override
  public void close() {
    if (!program.data().equals(home.resolve("data"))) {
      program.stopImmediately();
    }
    database.close();
    archive.close();
  }
}
