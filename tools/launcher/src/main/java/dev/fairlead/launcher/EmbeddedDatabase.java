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
 * PostgreSQL 18 for tests, demo and development: a fresh, empty server in a directory of its own
 * below the temporary directory, on a free port of 127.0.0.1. Everything in it is gone after {@link
 * #close}. It trusts every local connection and forgets commits when the machine stops: never for
 * real work.
 *
 * <p>A server outlives a JVM that is killed, so each start first removes what earlier JVMs of the
 * same user left.
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
   * Starts a server, at most {@value #START_TRIES} times since a free port may be taken meanwhile;
   * about 2 s.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase start() {
    return changed(server -> {});
  }

  /**
   * As {@link #start}, to be filled and copied: half of what is copied would be its write-ahead
   * log.
   *
   * @throws StartFailed when it does not start
   */
  public static EmbeddedDatabase original() {
    return changed(server -> server.setLocaleConfig("wal-segsize", "1"));
  }

  /**
   * Starts another server with what is in this one, which ends with its first copy.
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
   * As {@link #start}, but what was committed survives the sudden end of the server's processes,
   * and a standby, which lies beside the data in {@code standby}, may follow it.
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
   * As {@link #replicated}, and its write-ahead log is handed to {@code archive_command}, which
   * {@code ALTER SYSTEM} may set, after at most five seconds.
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
   * As {@link #start}, but a commit is answered when it is on the disk: for measurements.
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

  /** Settings are asked for before each try. */
  static EmbeddedDatabase changed(Consumer<EmbeddedPostgres.Builder> settings) {
    return started(DatabaseHome::create, settings);
  }

  /**
   * Starts a server whose contents stay: for development.
   *
   * @throws StartFailed when another JVM has the directory in use
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

  /** Whoever answers on the port passes for started, also when it was given to two at a time. */
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

  /** Of the database {@code postgres}. */
  public String url() {
    return url(SUPERUSER);
  }

  /** Of a database of this server, which need not exist yet. */
  public String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/" + database;
  }

  /** A superuser. */
  public String user() {
    return SUPERUSER;
  }

  /** Any text will do: the server trusts local connections. */
  public String password() {
    return SUPERUSER;
  }

  /** Where the server writes its log; gone after {@link #close}. */
  public Path log() {
    return home.log();
  }

  /** For the output of jobs that it knows: lives as long as its contents. */
  Path jobLogs() {
    return home.jobLogs();
  }

  /** What uses this database and is closed before it, also when the JVM goes down. */
  void closeFirst(AutoCloseable itsUser) {
    user = itsUser;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(closer);
    } catch (IllegalStateException e) {
      return; // the JVM is going down and the hook does it
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
