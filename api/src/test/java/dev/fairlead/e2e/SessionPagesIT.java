package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Pages of sessions through the service. The server of a simulated member echoes requests, and its
 * WebSockets echo frames.
 */
class SessionPagesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OPEN = "/api/v1/projects/pages/jobs";
  private static RunningFairlead fairlead;
  private static Http http;
  private static String job;
  private static String other;

  @BeforeAll
  static void twoNotebooks() {
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + RunningFairlead.keyFile(),
            "--fairlead.sessions.url=http://sessions.localhost");
    http = fairlead.http();
    http.yaml(
        "/api/v1/clusters",
        "{name: pages, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    http.yaml("/api/v1/projects", "{name: pages}");
    http.yaml("/api/v1/tenants", "{name: rival}");
    job = submit();
    other = submit();
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static String submit() {
    Http.Answer answer =
        http.yaml(
            OPEN,
            "{image: x, launcher: jupyter, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String id = answer.json().get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/jobs/" + id).json().path("state").asString("").equals("RUNNING"));
    return id;
  }

  private static JsonNode token(String query, String user, String role) {
    Http.Answer made =
        http.yaml(
            "/api/v1/tokens" + query,
            "{name: t, user: %s, role: %s}".formatted(user, role),
            query.isEmpty() ? new String[] {"Fairlead-Tenant", "rival"} : new String[0]);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json();
  }

  private static Http.Answer link(String id, String... headers) {
    return http.send("POST", "/api/v1/jobs/" + id + "/session-links", null, headers);
  }

  private static RawBrowser browser(String id) {
    return new RawBrowser(http.base(), id.replace('_', '-') + ".sessions.localhost");
  }

  /** The cookie with which a browser that followed the link continues. */
  private static String entered(String id, String... headers) {
    Http.Answer link = link(id, headers);
    assertThat(link.status()).as(link.body()).isEqualTo(201);
    URI url = URI.create(link.json().get("url").asString());
    assertThat(url.getHost()).isEqualTo(id.replace('_', '-') + ".sessions.localhost");
    RawBrowser.Answer entry = browser(id).get(url.getRawPath() + "?" + url.getRawQuery());
    assertThat(entry.status()).as(entry.body()).isEqualTo(303);
    assertThat(entry.header("location")).isEqualTo("/");
    assertThat(entry.header("set-cookie"))
        .contains("HttpOnly", "SameSite=Lax")
        .doesNotContain("Domain");
    return "Cookie: theme=dark; " + entry.header("set-cookie").split(";", 2)[0];
  }

  /**
   * Fails when a credential of the service reaches a member, or its server would refuse the page.
   */
  @Test
  void requestReachesTheMemberServerWithoutFairleadCookiesAndTokens() {
    String cookie = entered(job);
    String origin = "http://" + job.replace('_', '-') + ".sessions.localhost";

    RawBrowser.Answer page =
        browser(job)
            .send(
                "POST",
                "/api/v1/jobs?x=%2F1",
                "a body",
                cookie,
                "Authorization: Bearer fl_secret",
                "Fairlead-Tenant: acme",
                "X-Forwarded-For: 10.0.0.1",
                "Origin: " + origin,
                "Referer: " + origin + "/lab",
                "Accept: text/html");

    assertThat(page.status()).as(page.body()).isEqualTo(200);
    assertThat(page.body())
        .startsWith("POST /api/v1/jobs?x=%2F1 HTTP/1.1\r\nHost: 127.0.0.1:8888\r\n")
        .contains("Origin: http://127.0.0.1:8888\r\n", "Referer: http://127.0.0.1:8888/lab\r\n")
        .contains("Cookie: theme=dark\r\n", "Accept: text/html\r\n")
        .endsWith("\r\n\r\na body")
        .doesNotContain("fairlead-session", "fl_secret", "acme", "10.0.0.1");
    assertThat(page.head()).contains("frame-ancestors 'self'");
    RawBrowser.Answer token = browser(job).get("/", cookie, "Authorization: token of-jupyter");
    assertThat(token.body()).contains("token of-jupyter");
  }

  /** Fails when anyone but the owner of the cookie can enter, or can find which sessions exist. */
  @Test
  void otherCallersAreRejected() {
    String cookie = entered(job);
    String rival = "Bearer " + token("", "eve", "tenant-owner").get("token").asString();
    String viewer =
        "Bearer " + token("?project=pages", "vic", "project-viewer").get("token").asString();

    assertThat(link(job, "Authorization", rival).status()).isEqualTo(404);
    assertThat(link(job, "Authorization", viewer).status()).isEqualTo(403);
    assertThat(browser(job).get("/").status()).isEqualTo(401);
    assertThat(browser(job).get("/.fairlead/enter?pass=x.y").status()).isEqualTo(401);
    assertThat(browser(job).get("/", cookie + "x").status()).isEqualTo(401);
    assertThat(browser(other).get("/", cookie).status()).isEqualTo(404);
    assertThat(browser("job_none").get("/", cookie).status()).isEqualTo(404);
    assertThat(browser(job).get("/api/v1/jobs").body()).doesNotContain(job);
    String dotted = job.replace('_', '-') + ".sessions.localhost.";
    assertThat(new RawBrowser(http.base(), dotted).get("/").status())
        .as("its DNS name")
        .isEqualTo(401);
  }

  /** Fails when a page of a notebook on the same site can act in another notebook. */
  @Test
  void otherSessionsPageCannotSendRequests() {
    String cookie = entered(job);
    String foreign = "Origin: http://" + other.replace('_', '-') + ".sessions.localhost";

    assertThat(browser(job).send("POST", "/", "x", cookie, foreign).status()).isEqualTo(403);
    URI link = URI.create(link(job).json().get("url").asString());
    RawBrowser.Answer image =
        browser(job).get(link.getRawPath() + "?" + link.getRawQuery(), "Sec-Fetch-Site: same-site");
    assertThat(image.status()).as("a cookie for another user").isEqualTo(403);
    assertThat(browser(job).get("/", cookie, "Sec-Fetch-Site: same-site").status()).isEqualTo(403);
    RawBrowser.Answer followed =
        browser(job)
            .get(
                "/",
                cookie,
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: document");
    assertThat(followed.status()).as("a link on that page").isEqualTo(200);
  }

  /** Fails when the cookie outlives the access, a thread remains, or the audit has no session. */
  @Test
  void revokedTokenEndsItsPages() throws IOException {
    JsonNode made = token("?project=pages", "ann", "project-owner");
    String cookie = entered(job, "Authorization", "Bearer " + made.get("token").asString());
    try (RawBrowser.Page page = browser(job).page("/kernel", cookie)) {
      assertThat(page.status()).isEqualTo(101);
      assertThat(page.echo("hello")).isEqualTo("hello");
      assertThat(page.echo("again")).isEqualTo("again");
      http.send("DELETE", "/api/v1/tokens/" + made.at("/details/id").asString(), null);

      assertThat(page.closed()).isTrue();
      await().atMost(PATIENCE).until(() -> relays() == 0);
    }
    await().atMost(PATIENCE).until(() -> browser(job).get("/", cookie).status() == 401);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(audit("ann"))
                .containsExactly("forwardJobPort", "forwardJobPort", "createSessionLink"));
  }

  /** Threads that wait for data of a browser. */
  private static long relays() throws IOException {
    Path dump = Files.createTempDirectory("threads").resolve("threads.json");
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
    return Files.readString(dump).split("\"page-socket\"", -1).length - 1;
  }

  /** Actions of the actor, the last one first. */
  private static List<String> audit(String actor) {
    return http.get("/api/v1/audit?pageSize=50&actor=" + actor)
        .json()
        .get("items")
        .valueStream()
        .map(row -> row.get("action").asString())
        .toList();
  }

  /** Fails when the connections of one browser are not bounded, or remain after their end. */
  @Test
  void floodOfWebSocketsIsRejectedAndEnds() throws IOException {
    String cookie = entered(other);
    List<RawBrowser.Page> pages = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      pages.add(browser(other).page("/" + i, cookie));
    }
    assertThat(pages).filteredOn(page -> page.status() == 101).hasSize(32);
    assertThat(pages).filteredOn(page -> page.status() == 429).hasSize(8);
    for (RawBrowser.Page page : pages) {
      page.close();
    }
    await().atMost(PATIENCE).until(() -> browser(other).get("/", cookie).status() == 200);
  }
}
