package dev.fairlead.launcher;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL 18 for tests, demo and development: a fresh, empty server in a separate directory
 * below the temporary directory, on a free port of 127.0.0.1. {@link #close} deletes all its data.
 * It trusts every local connection and loses commits when the machine stops: never use it for real
 * work.
 *
 * <p>A server outlives a JVM that is killed, so each start first removes servers of earlier JVMs of
 * the same user.
 */
public final class EmbeddedDatabase implements AutoCloseable {
  private static final String SUPERUSER = "postgres";
  private static final Duration START_WAIT = Duration.ofMinutes(3);
  private static final int START_TRIES = 3;

  private final EmbeddedPostgres server;
  private final DatabaseHome home;
  private final Thread closer;
  private @Nullable AutoCloseable user;

  private EmbeddedDatabase(EmbeddedPostgres server, DatabaseHome home) {
    this.server = server;
    this.home = home;
    this.closer = new Thread(this::stop, "embedded-database-closer");
    Runtime.getRuntime().addShutdownHook(closer);
  }

  /**
   * Starts a server in about 2 s, with at most {@value #START_TRIES} tries, because another process
   * may take the free port.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase start() {
    return changed(server -> {});
  }

  /**
   * Starts a server like {@link #start}, as the source of copies. Half of the copied bytes would
   * otherwise be its write-ahead log.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase original() {
    return changed(server -> server.setLocaleConfig("wal-segsize", "1"));
  }

  /**
   * Starts another server with a copy of the data of this one, which stops at its first copy.
   *
   * @throws StartFailed when it does not start
   */
  public synchronized EmbeddedDatabase copy() {
    stopServer();
    return started(() -> DatabaseHome.copyOf(home), server -> {});
  }

  private interface Homes {
    DatabaseHome next() throws IOException;
  }

  private static EmbeddedDatabase started(
      Homes homes, Consumer<EmbeddedPostgres.Builder> settings) {
    DatabaseHome.sweep();
    for (int i = 1; ; i++) {
      try {
        return startIn(homes.next(), settings);
      } catch (IOException e) {
        if (i == START_TRIES) {
          throw new StartFailed("PostgreSQL did not start: " + e.getMessage(), e);
        }
      }
    }
  }

  /**
   * Starts a server like {@link #start} with commits that survive the sudden end of its processes,
   * and which a standby may follow with data in {@code standby}, next to its own data.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase replicated() {
    return changed(server ->
        server
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("wal_level", "replica")
            .setServerConfig("max_wal_senders", "2"));
  }

  /**
   * Starts a server like {@link #replicated} that passes its write-ahead log to {@code
   * archive_command}, which {@code ALTER SYSTEM} may set, after at most five seconds.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase archived() {
    return changed(server ->
        server
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("wal_level", "replica")
            .setServerConfig("archive_mode", "on")
            .setServerConfig("archive_timeout", "5"));
  }

  /**
   * Starts a server like {@link #start} that acknowledges a commit after it is on the disk: for
   * measurements.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase durable() {
    return changed(server ->
        server
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on"));
  }

  /** Starts a server. The settings are applied before each try. */
  static EmbeddedDatabase changed(Consumer<EmbeddedPostgres.Builder> settings) {
    return started(DatabaseHome::create, settings);
  }

  /**
   * Starts a persistent server: for development.
   *
   * @throws StartFailed when another JVM uses the directory
   */
  public static EmbeddedDatabase keptIn(Path directory) {
    try {
      DatabaseHome home = DatabaseHome.kept(directory);
      home.killServer();
      return startIn(home);
    } catch (IOException e) {
      throw new StartFailed("PostgreSQL did not start in " + directory + ": " + e.getMessage(), e);
    }
  }

  private static EmbeddedDatabase startIn(DatabaseHome home) throws IOException {
    return startIn(home, server -> {});
  }

  private static EmbeddedDatabase startIn(
      DatabaseHome home, Consumer<EmbeddedPostgres.Builder> changed) throws IOException {
    try {
      EmbeddedPostgres.Builder builder = configured(home);
      changed.accept(builder);
      EmbeddedPostgres server = builder.start();
      if (!serves(server, home)) {
        server.close();
        throw new IOException("another server took port " + server.getPort() + " first");
      }
      return new EmbeddedDatabase(server, home);
    } catch (IOException | RuntimeException e) {
      String log = home.logTail();
      home.remove();
      throw new IOException(e.getMessage() + (log.isEmpty() ? "" : "\n" + log), e);
    }
  }

  /**
   * Returns whether this server answers on its port. The library treats any server on the port as
   * started, even if two servers got the same port.
   */
  private static boolean serves(EmbeddedPostgres server, DatabaseHome home) throws IOException {
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW data_directory")) {
      row.next();
      return Files.isSameFile(Path.of(row.getString(1)), home.data());
    } catch (SQLException e) {
      throw new IOException(e);
    }
  }

  private static EmbeddedPostgres.Builder configured(DatabaseHome home) {
    ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(home.log().toFile());
    return EmbeddedPostgres.builder()
        .setDataDirectory(home.data())
        .setCleanDataDirectory(false)
        .setRegisterShutdownHook(false)
        .setPGStartupWait(START_WAIT)
        .setOutputRedirector(log)
        .setErrorRedirector(log)
        .setLocaleConfig("locale", "C")
        .setServerConfig("listen_addresses", "127.0.0.1")
        .setServerConfig("unix_socket_directories", "")
        .setServerConfig("max_connections", "200")
        .setServerConfig("full_page_writes", "off")
        .setServerConfig("synchronous_commit", "off")
        .setServerConfig("wal_level", "minimal")
        .setServerConfig("max_wal_senders", "0");
  }

  /** URL of the database {@code postgres}. */
  public String url() {
    return url(SUPERUSER);
  }

  /** URL of a database of this server, which need not exist yet. */
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + database;
  }

  /** Name of a superuser. */
  public String user() {
    return SUPERUSER;
  }

  /** Any text is accepted, because the server trusts local connections. */
  public String password() {
    return SUPERUSER;
  }

  /** The server's log file. Deleted by {@link #close}. */
  public Path log() {
    return home.log();
  }

  /** Directory for the output of its jobs, with the same lifetime as its data. */
  Path jobLogs() {
    return home.jobLogs();
  }

  /** Registers a user of this database to close before it, also when the JVM stops. */
  void closeFirst(AutoCloseable itsUser) {
    user = itsUser;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException e) {
      return; // the JVM is shutting down, and the hook closes it
    }
    stop();
  }

  private void stop() {
    closeUser();
    stopServer();
    if (Files.exists(home.data())) {
      home.remove();
    }
  }

  private void stopServer() {
    try {
      server.close();
    } catch (IOException e) {
      home.killServer();
    }
  }

  private void closeUser() {
    try {
      if (user != null) {
        user.close();
      }
    } catch (Exception e) {
      System.err.println("while closing the user of the database: " + e);
    }
  }
}
