package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A service with a token, whose database goes away and comes back. */
class DatabaseAwayIT {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String[] BEARER = {"Authorization", "Bearer " + TOKEN};
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static CuttableProxy proxy;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() {
    EmbeddedDatabase database = EmbeddedDatabase.start();
    proxy = CuttableProxy.to(port(database.url()));
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url().replace(":" + port(database.url()) + "/", ":" + proxy.port() + "/"),
            "--fairlead.bootstrap-token=" + TOKEN,
            "--spring.datasource.hikari.connection-timeout=1000");
  }

  private static int port(String url) {
    return Integer.parseInt(url.replaceAll(".*:([0-9]+)/.*", "$1"));
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    proxy.close();
  }

  @Test
  void whileItIsAwayRequestsWaitForNothingAndTheServiceIsNotReadyButAlive() {
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

  @Test
  void withATokenNobodyComesInWithoutIt() {
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
    assertThat(fairlead.management().get("/actuator/health").status()).isEqualTo(200);
    assertThat(http.get("/docs/reasons/errors.html").status()).isEqualTo(200);
    assertThat(http.get("/v3/api-docs").status()).isEqualTo(200);
    assertThat(http.get("/api/v1/me", BEARER).json().get("user").asString()).isEqualTo("bootstrap");
  }
}
