package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedDatabaseTest {
  @Test
  void startedServerRespondsAndLeavesNothingBehind() throws Exception {
    Path log;
    Path jobLogs;
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      log = database.log();
      jobLogs = Files.createDirectories(database.jobLogs().resolve("of-a-job"));
      assertThat(version(database)).startsWith("18");
    }
    assertThat(log.getParent()).doesNotExist();
    assertThat(jobLogs).as("a second database finds no logs of the first").doesNotExist();
  }

  @Test
  void copiesHaveTheContentsAndAreIndependent() throws Exception {
    try (EmbeddedDatabase first = EmbeddedDatabase.original()) {
      run(first, "CREATE TABLE copied (a int PRIMARY KEY)");
      try (EmbeddedDatabase one = first.copy();
          EmbeddedDatabase other = first.copy()) {
        run(one, "INSERT INTO copied VALUES (1)");
        run(other, "INSERT INTO copied VALUES (1)");
      }
    }
  }

  /**
   * Two that start at the same time may choose the same free port. Fails without the check of the
   * server's directory: contents of the first server would be mistaken for contents of the second.
   */
  @Test
  void foreignServerOnTheChosenPortIsDetected() throws Exception {
    try (EmbeddedDatabase other = EmbeddedDatabase.start()) {
      run(other, "CREATE TABLE of_the_other (a int)");
      Iterator<Integer> ports = List.of(port(other), LoopbackPorts.anyPort()).iterator();
      try (EmbeddedDatabase ours =
          EmbeddedDatabase.changed(server -> server.setPort(ports.next()))) {
        run(ours, "CREATE TABLE of_the_other (a int)");
      }
      run(other, "DROP TABLE of_the_other");
    }
  }

  private static int port(EmbeddedDatabase database) {
    return URI.create(database.url().substring("jdbc:".length())).getPort();
  }

  /**
   * Fails without the sweep: the killed JVM's server and directory stay forever. Separate from
   * other JVMs of this user, which also sweep.
   */
  @Test
  void remainsOfAKilledJvmAreSwept(@TempDir Path apart) throws Exception {
    Process jvm = start(KilledOwner.class, apart);
    Path log = Path.of(jvm.inputReader().readLine());
    ProcessHandle server = server(log);

    jvm.destroyForcibly().waitFor();
    assertThat(server.isAlive()).isTrue();
    DatabaseHome.sweep(log.getParent().getParent());

    assertThat(server.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
    assertThat(log.getParent()).doesNotExist();
  }

  @Test
  void sweepLeavesServersOfRunningJvmsAlone() throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      DatabaseHome.sweep();
      assertThat(version(database)).startsWith("18");
    }
  }

  @Test
  void retainedDatabaseKeepsItsContentsAndHasOneUserAtATime(@TempDir Path directory)
      throws Exception {
    try (EmbeddedDatabase first = EmbeddedDatabase.keptIn(directory)) {
      run(first, "CREATE TABLE kept (a int)");
      assertThatThrownBy(() -> EmbeddedDatabase.keptIn(directory))
          .isInstanceOf(StartFailed.class)
          .hasMessageContaining("another launcher");
    }
    try (EmbeddedDatabase again = EmbeddedDatabase.keptIn(directory)) {
      run(again, "INSERT INTO kept VALUES (1)");
    }
  }

  /**
   * Fails without the order in close: the database would be closed before the service releases its
   * leases.
   */
  @Test
  void usersOfTheDatabaseAreClosedBeforeIt() {
    List<String> seen = new ArrayList<>();
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      database.closeFirst(() -> seen.add(version(database)));
    }
    assertThat(seen).hasSize(1).first().asString().startsWith("18");
  }

  private static void run(EmbeddedDatabase database, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Starts a server, reports its address, and waits to be killed. */
  static final class KilledOwner {
    public static void main(String[] args) throws IOException {
      System.out.println(EmbeddedDatabase.start().log());
      System.in.read();
    }
  }

  private static Process start(Class<?> main, Path temporary) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        List.of(
            java,
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + temporary,
            "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
            "-cp",
            System.getProperty("java.class.path"),
            main.getName());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static ProcessHandle server(Path log) throws IOException {
    Path pid = log.resolveSibling("data").resolve("postmaster.pid");
    return ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).getFirst().strip()))
        .orElseThrow();
  }

  private static String version(EmbeddedDatabase database) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW server_version")) {
      row.next();
      return row.getString(1);
    }
  }
}
