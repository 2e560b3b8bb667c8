package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Pages in a real Chromium ({@code FAIRLEAD_BROWSER}) against the local administrator of a service
 * on the same machine.
 */
@Tag("long")
class CrossSiteIT {
  private static final String BROWSER = System.getenv("FAIRLEAD_BROWSER");
  private static RunningFairlead fairlead;

  @TempDir private Path profile;
  private String job;

  @BeforeAll
  static void start() {
    assumeThat(BROWSER).as("FAIRLEAD_BROWSER, as make security LONG=1 sets it").isNotNull();
    fairlead = RunningFairlead.start(RunningFairlead.KEY);
  }

  @AfterAll
  static void end() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  @BeforeEach
  void aJobThatWaits() {
    Http.Answer made = http().yaml("/api/v1/projects/default/jobs", "{image: x, gpu: 1}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    job = made.json().get("id").asString();
  }

  /**
   * Another port of this machine, another name for it, and another site. Fails when {@code
   * SameOrigin} accepts changes that a page has sent as simple requests, for which browsers send no
   * preflight.
   */
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "evil.example"})
  void aPageOfAnotherOriginChangesAndReadsNothing(String host) {
    try (HostilePage page = new HostilePage(http().base())) {
      JsonNode read = attack(page, host, http().base());

      assertNothingRead(host, read);
      assertNothingChanged();
    }
  }

  /**
   * Fails when {@code Host} is ignored: for the browser such a page has the origin of the service.
   */
  @Test
  void rebindingHostNameNeitherReadsNorChangesAnything() {
    try (HostilePage page = new HostilePage(http().base())) {
      JsonNode read = attack(page, "evil.example", "http://evil.example:" + page.port());

      assertNothingRead("rebound name", read);
      assertNothingChanged();
    }
  }

  /** The control: these requests reach an unprotected service, so the checks above stop them. */
  @Test
  void serviceWithoutCrossSiteProtectionIsReached() {
    try (HostilePage page = new HostilePage(http().base())) {
      attack(page, "evil.example", page.unprotected());

      assertThat(page.arrived())
          .filteredOn(("POST /api/v1/jobs/" + job + "/cancel")::equals)
          .hasSizeGreaterThanOrEqualTo(6);
      assertThat(page.arrived()).contains("POST /api/v1/projects/default/jobs");
      System.out.printf(
          "security browser: an unprotected service got %d requests of one page%n",
          page.arrived().size());
    }
  }

  /**
   * The second control: the service's own page works in this browser, and no page can embed it in a
   * frame.
   */
  @Test
  void sameOriginPageWorks() throws IOException, InterruptedException {
    Process browser =
        browser("--dump-dom", "--virtual-time-budget=20000", http().base() + "/swagger-ui.html")
            .redirectOutput(profile.resolve("page").toFile())
            .start();

    assertThat(browser.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(profile.resolve("page")).content().contains("Drain a node");
    assertThat(http().get("/swagger-ui/index.html").header("X-Frame-Options")).isEqualTo("DENY");
  }

  private JsonNode attack(HostilePage page, String host, String service) {
    String address =
        "http://" + host + ":" + page.port() + "/page?service=" + service + "&job=" + job;
    Process browser = start(browser("--remote-debugging-port=0", address));
    try {
      return page.awaitReport();
    } finally {
      browser.destroy();
      ended(browser);
    }
  }

  private ProcessBuilder browser(String... more) {
    ProcessBuilder builder =
        new ProcessBuilder(
            BROWSER,
            "--headless",
            "--no-sandbox", // its sandbox needs privileges that a container does not have
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--user-data-dir=" + profile.resolve("profile"),
            "--host-resolver-rules=MAP evil.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost,"
                + " EXCLUDE 127.0.0.1");
    builder.command().addAll(List.of(more));
    return builder
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
  }

  private static Process start(ProcessBuilder builder) {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void ended(Process browser) {
    try {
      if (!browser.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the browser does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void assertNothingRead(String from, JsonNode read) {
    Map<String, String> could = new TreeMap<>();
    read.properties().stream()
        .filter(way -> !way.getValue().asString().isEmpty())
        .forEach(way -> could.put(way.getKey(), way.getValue().asString()));
    System.out.printf(
        "security browser: page of %s, %d ways, %d read something%n",
        from, read.size(), could.size());
    assertThat(read.size()).isGreaterThanOrEqualTo(18);
    assertThat(could).isEmpty();
  }

  private void assertNothingChanged() {
    JsonNode now = http().get("/api/v1/jobs/" + job).json();
    assertThat(now.path("state").asString("")).isEqualTo("QUEUED");
    assertThat(now.get("version").asInt()).isEqualTo(1);
    assertThat(http().get("/api/v1/jobs?name=planted").json().get("items")).isEmpty();
  }

  private static Http http() {
    return fairlead.http();
  }
}
