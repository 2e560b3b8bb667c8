package dev.fairlead.bench.chaos;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The database server of a run, whose commits survive the end of its processes, with a synchronous
 * standby, and what may happen to them.
 */
final class PostgresServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String STANDBY = "standby";
  private final EmbeddedDatabase database;
  private final Path primary;
  private final Path standby;
  private final int standbyPort;
  private Path data;
  private List<String> command;

  private PostgresServer(EmbeddedDatabase database, int standbyPort) {
    this.database = database;
    this.primary = database.log().resolveSibling("data");
    this.standby = database.log().resolveSibling(STANDBY);
    this.standbyPort = standbyPort;
    this.data = primary;
    ProcessHandle server = server();
    command = new ArrayList<>(root() ? List.of("unshare", "-U") : List.of());
    command.add(server.info().command().orElseThrow());
    command.addAll(List.of(server.info().arguments().orElseThrow()));
  }

  /** PostgreSQL does not run as root: a user namespace of its own maps it to nobody. */
  private static boolean root() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Two servers: a commit is answered when both have it. */
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

  /** Whichever of the two is the primary. */
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

  /** A connection of the superuser, on which everything is seen; for checks only. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), user(), password());
  }

  /** A base backup by hand: the embedded server comes without the program for it. */
  private void copyToStandby() throws SQLException, IOException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('standby', true)");
      copy(primary, standby);
      try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        row.next();
        Files.writeString(standby.resolve("backup_label"), row.getString(1));
      }
    }
    Files.delete(standby.resolve("postmaster.pid"));
    Files.createFile(standby.resolve("standby.signal"));
    String source = URI.create(database.url().substring("jdbc:".length())).getPort() + "";
    Files.writeString(
        standby.resolve("postgresql.auto.conf"),
        """
        primary_conninfo = 'host=127.0.0.1 port=%s user=%s application_name=%s'
        wal_retrieve_retry_interval = '200ms'
        """
            .formatted(source, user(), STANDBY),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Files that the server removes meanwhile need not be there. */
  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(
                directory,
                to.resolve(from.relativize(directory)),
                StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              Files.copy(
                  file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException removed) {
              return FileVisitResult.CONTINUE;
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** From its first answer on, no commit is acknowledged that it does not have. */
  private void startStandby() throws SQLException, InterruptedException {
    begin(ofStandby());
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      Waiting.until("the standby follows", PATIENCE, () -> streaming(statement));
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

  private List<String> ofStandby() {
    String port = URI.create(database.url().substring("jdbc:".length())).getPort() + "";
    return command.stream()
        .map(word -> word.equals(primary.toString()) ? standby.toString() : word)
        .map(word -> word.replaceFirst("^(-p *|port=|)" + port + "$", "$1" + standbyPort))
        .toList();
  }

  /** The primary dies for good; the standby is the only server from then on. */
  void promoteStandby() throws SQLException, InterruptedException {
    stopImmediately();
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + standbyPort + "/postgres", user(), password());
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_promote(true, 60)");
    }
    command = ofStandby();
    data = standby;
    Waiting.until("the standby is the primary", PATIENCE, this::answers);
  }

  /** As {@code pg_ctl stop -m immediate}: no checkpoint, every connection is dropped. */
  void stopImmediately() {
    ProcessHandle server = server();
    Signals.send("QUIT", Stream.of(server));
    server.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Starts the server that was stopped; returns once it takes connections. */
  void startAgain() throws InterruptedException {
    begin(command);
    Waiting.until("PostgreSQL takes connections again", PATIENCE, this::answers);
  }

  private void begin(List<String> program) {
    ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(database.log().toFile());
    try {
      new ProcessBuilder(program).redirectOutput(log).redirectError(log).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All of its processes stand still. */
  void pause() {
    Signals.send("STOP", processes());
  }

  void resume() {
    Signals.send("CONT", processes());
  }

  private Stream<ProcessHandle> processes() {
    ProcessHandle server = server();
    return Stream.concat(Stream.of(server), server.descendants());
  }

  private ProcessHandle server() {
    return server(data).orElseThrow();
  }

  private static Optional<ProcessHandle> server(Path data) {
    Path pidFile = data.resolve("postmaster.pid");
    if (!Files.exists(pidFile)) {
      return Optional.empty();
    }
    try {
      long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
      return ProcessHandle.of(pid);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    server(standby)
        .ifPresent(server -> {
          Signals.send("QUIT", Stream.of(server));
          server.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        });
    database.close();
  }
}
