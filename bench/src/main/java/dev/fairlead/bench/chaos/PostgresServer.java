package dev.fairlead.bench.chaos;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The database server of a run, whose commits survive the end of its processes, and what may happen
 * to it.
 */
final class PostgresServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private final EmbeddedDatabase database;
  private final List<String> command;

  private PostgresServer(EmbeddedDatabase database) {
    this.database = database;
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

  static PostgresServer start() {
    return new PostgresServer(EmbeddedDatabase.durable());
  }

  EmbeddedDatabase database() {
    return database;
  }

  /** A connection of the superuser, on which everything is seen; for checks only. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(database.url(), database.user(), database.password());
  }

  /** As {@code pg_ctl stop -m immediate}: no checkpoint, every connection is dropped. */
  void stopImmediately() {
    ProcessHandle server = server();
    Signals.send("QUIT", Stream.of(server));
    server.onExit().orTimeout(PATIENCE.toSeconds(), java.util.concurrent.TimeUnit.SECONDS).join();
  }

  /** Starts the server that was stopped; returns once it takes connections. */
  void startAgain() throws InterruptedException {
    ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(database.log().toFile());
    try {
      new ProcessBuilder(command).redirectOutput(log).redirectError(log).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Waiting.until("PostgreSQL takes connections again", PATIENCE, this::answers);
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
    Path pidFile = database.log().resolveSibling("data").resolve("postmaster.pid");
    try {
      long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
      return ProcessHandle.of(pid).orElseThrow();
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
    database.close();
  }
}
