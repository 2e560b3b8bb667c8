package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.loop.LoopThread;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A service with a token, and a database that stops and returns. */
class DatabaseAwayIT {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String[] BEARER = {"Authorization", "Bearer " + TOKEN};
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Fewer than the default, so that a few requests exhaust them. */
  private static final int CONNECTIONS = 4;

  private static EmbeddedDatabase database;
  private static CuttableProxy proxy;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() {
    database = MigratedDatabase.start();
    proxy = CuttableProxy.to(database);
    fairlead =
        RunningFairlead.startBehind(
            database,
            proxy.url(database),
            "--fairlead.bootstrap-token=" + TOKEN,
            "--spring.datasource.hikari.connection-timeout=1000",
            "--spring.datasource.hikari.maximum-pool-size=" + CONNECTIONS,
            "--fairlead.api.concurrent-requests=" + 2 * CONNECTIONS,
            "--fairlead.loop.late-after=3s",
            "--fairlead.lease.duration=6s",
            "--fairlead.lease.renew=1s",
            "--fairlead.lease.self-stop=4s");
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    proxy.close();
  }

  @Test
  void duringAnOutageRequestsFailFastAndTheServiceIsAliveButNotReady() {
    Http http = fairlead.http();
    Http management = fairlead.management();
    String job = "{image: x, name: before, placement: {clusters: [nowhere]}}";
    assertThat(http.yaml("/api/v1/projects/default/jobs", job, BEARER).status()).isEqualTo(201);

    proxy.cut();
    Http.Answer away = http.get("/api/v1/jobs", BEARER);
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.code()).isEqualTo("UNAVAILABLE");
    assertThat(away.header("Retry-After")).isNotEmpty();
    assertThat(http.yaml("/api/v1/projects/default/jobs", "{image: x}", BEARER).status())
        .isEqualTo(503);
    assertThat(management.get("/actuator/health/readiness").status()).isEqualTo(503);
    assertThat(management.get("/actuator/health/liveness").status()).isEqualTo(200);

    proxy.restore();
    await().atMost(PATIENCE).until(() -> http.get("/api/v1/jobs", BEARER).status() == 200);
    assertThat(http.get("/api/v1/jobs?name=before", BEARER).json().get("items")).hasSize(1);
    await()
        .atMost(PATIENCE)
        .until(() -> management.get("/actuator/health/readiness").status() == 200);
  }

  /** Fails when only the log shows that loops have been failing. */
  @Test
  void failingLoopsAppearInTheirHealthGroupAndNotInLiveness() {
    Http management = fairlead.management();
    await().atMost(PATIENCE).until(() -> management.get("/actuator/health/loops").status() == 200);
    assertThat(management.get("/actuator/health/loops").body())
        .contains("scheduler", "event-publisher");

    proxy.cut();
    await().atMost(PATIENCE).until(() -> management.get("/actuator/health/loops").status() == 503);
    assertThat(management.get("/actuator/health/liveness").status()).isEqualTo(200);
    assertThat(management.get("/actuator/prometheus", BEARER).body())
        .contains("fairlead_loop_last_success_age_seconds{loop=\"scheduler\"");
    proxy.restore();
    await().atMost(PATIENCE).until(() -> management.get("/actuator/health/loops").status() == 200);
  }

  /** Fails when the end of a loop's thread is not reported. */
  @Test
  void loopWhoseThreadEndedFailsLivenessAndNotReadiness() {
    Http management = fairlead.management();
    try (LoopThread dead = fairlead.run(new DyingLoop())) {
      await()
          .dontCatchUncaughtExceptions()
          .atMost(PATIENCE)
          .until(() -> management.get("/actuator/health/liveness").status() == 503);
      assertThat(management.get("/actuator/health/liveness").body())
          .contains("\"dying\":\"its thread has ended\"");
      await()
          .atMost(PATIENCE)
          .until(() -> management.get("/actuator/health/readiness").status() == 200);
    }
    assertThat(management.get("/actuator/health/liveness").status()).isEqualTo(200);
  }

  /**
   * Every connection of the requests waits for a lock. Fails when health or leases use connections
   * of the same pool.
   */
  @Test
  void blockedRequestsStarveNeitherHealthChecksNorLeases() throws Exception {
    try (Connection other =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = other.createStatement();
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      long before = renewals(statement);
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE job IN ACCESS EXCLUSIVE MODE");
      Runnable request = () -> fairlead.http().get("/api/v1/jobs", BEARER);
      for (int i = 0; i < 60; i++) {
        clients.execute(request);
      }
      await()
          .atMost(PATIENCE)
          .until(() -> {
            clients.execute(request); // an earlier one may have found no connection after an outage
            return waiting(statement) >= CONNECTIONS;
          });

      assertThat(fairlead.management().get("/actuator/health/readiness").status()).isEqualTo(200);
      await().atMost(PATIENCE).until(() -> renewals(statement) > before + 1);
      other.rollback();
    }
  }

  private static long waiting(Statement statement) throws SQLException {
    return number(statement, "SELECT count(*) FROM pg_locks WHERE NOT granted");
  }

  private static long renewals(Statement statement) throws SQLException {
    return number(statement, "SELECT sum(renewals) FROM lease");
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Fails when the durability settings of the database are not read. */
  @Test
  void readinessWarnsThatAcknowledgedWorkMayBeLost() throws Exception {
    String readiness = "/actuator/health/readiness";
    await().atMost(PATIENCE).until(() -> fairlead.management().get(readiness).status() == 200);
    assertThat(fairlead.management().get(readiness).body()).contains("synchronous_commit is off");
  }

  @Test
  void withATokenConfiguredUnauthenticatedRequestsAreRejected() {
    Http http = fairlead.http();

    for (String[] headers :
        new String[][] {{}, {"Authorization", "Bearer wrong"}, {"Authorization", "Basic YTpi"}}) {
      Http.Answer answer = http.get("/api/v1/me", headers);
      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.code()).isEqualTo("UNAUTHENTICATED");
      assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
    }
    assertThat(http.get("/nothing").status()).isEqualTo(401);
    assertThat(fairlead.management().get("/actuator/metrics").status()).isEqualTo(401);
    await() // an earlier test may have stopped the database
        .atMost(PATIENCE)
        .until(() -> fairlead.management().get("/actuator/health").status() == 200);
    assertThat(http.get("/docs/reasons/errors.html").status()).isEqualTo(200);
    assertThat(http.get("/v3/api-docs").status()).isEqualTo(200);
    assertThat(http.get("/api/v1/me", BEARER).json().get("user").asString()).isEqualTo("bootstrap");
  }
}
