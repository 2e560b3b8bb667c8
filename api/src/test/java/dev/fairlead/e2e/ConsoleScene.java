package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/**
 * A service with one object of each page of the console, and a browser ({@code FAIRLEAD_BROWSER}).
 */
final class ConsoleScene implements AutoCloseable {
  /** Simulated members otherwise end after a minute. */
  static final String FOR_THE_TEST = "annotations: {sim.fairlead.dev/run-for: 1h}";

  private static final String PROGRAM = System.getenv("FAIRLEAD_BROWSER");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String SESSION =
      "launcher: jupyter, image: lab, gpu: 1, placement: {clusters: [eu-1]}";

  private static final String RAY =
      "launcher: ray, image: ray, run: sleep, workers: 2, placement: {clusters: [eu-1]}";

  private final RunningFairlead fairlead;
  private final Chromium browser;

  private ConsoleScene(RunningFairlead fairlead, Chromium browser) {
    this.fairlead = fairlead;
    this.browser = browser;
  }

  /**
   * Starts both.
   *
   * @param profile directory of the browser
   */
  static ConsoleScene start(Path profile) {
    assumeThat(PROGRAM).as("FAIRLEAD_BROWSER, as make console sets it").isNotNull();
    RunningFairlead fairlead =
        RunningFairlead.start(
            RunningFairlead.KEY,
            "--fairlead.key-file=" + RunningFairlead.keyFile(),
            "--fairlead.sessions.url=http://sessions.localhost");
    return new ConsoleScene(fairlead, Chromium.start(PROGRAM, profile.resolve("profile")));
  }

  Chromium browser() {
    return browser;
  }

  Http http() {
    return fairlead.http();
  }

  /** Four nodes, a service, a pool of each kind, a running and a waiting job. Returns both ids. */
  String[] fill() {
    http()
        .yaml(
            "/api/v1/clusters",
            "{name: eu-1, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100, blocks: 2, racksPerBlock: 1}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> http().get("/api/v1/clusters/eu-1").json().path("nodes").asInt(0) == 4);
    put("services/chat", "{route: chat.example, job: {image: server, run: v1}}");
    pool();
    Http.Answer budget =
        http()
            .yaml(
                "/api/v1/budgets",
                "{name: gpus, project: default, gpuHours: 500, period: MONTH, mode: SOFT}");
    assertThat(budget.status()).as(budget.body()).isLessThan(300);
    String runs =
        submit("{name: runs, image: train, workers: 2, gpu: 'H100:8', " + FOR_THE_TEST + "}");
    String waits = submit("{name: waits, image: train, workers: 40, gpu: 'H100:8'}");
    awaitState(runs, "RUNNING");
    await()
        .atMost(PATIENCE)
        .until(
            () -> http().get("/api/v1/projects/default/warm-pools").body().contains("\"ready\":1"));
    return new String[] {runs, waits};
  }

  private void pool() {
    put("warm-pools/lab", "{members: 1, job: {" + SESSION + "}}");
    put("warm-pools/rays", "{members: 1, ray: {jobs: 1}, job: {" + RAY + "}}");
  }

  private void put(String path, String body) {
    Http.Answer answer =
        http().send("PUT", "/api/v1/projects/default/" + path, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private String submit(String job) {
    Http.Answer made = http().yaml("/api/v1/projects/default/jobs", job);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json().get("id").asString();
  }

  private void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            http().get("/api/v1/jobs/" + job).json().path("state").asString("").equals(state));
  }

  void open(String hash) {
    browser.open(http().base() + "/console/" + hash);
  }

  /** Waits until the page has read its data and the permissions of its user. */
  void awaitReads() {
    browser.evaluate(
        """
        (async () => {
          for (let before = -1, still = 0; still < 3;) {
            await new Promise((then) => setTimeout(then, 200));
            const now = performance.getEntriesByType('resource').length;
            const busy = !document.querySelector('main') || document.querySelector('[aria-busy=true]');
            still = now === before && !busy ? still + 1 : 0;
            before = now;
          }
        })()
        """);
  }

  /** The shortest time in milliseconds until something is shown, of three loads of a page. */
  static int firstPaint(Chromium browser, String address, String selector) {
    int least = Integer.MAX_VALUE;
    for (int load = 0; load < 3; load++) {
      browser.open(address);
      browser.until("document.querySelector('" + selector + "')");
      JsonNode paint =
          browser.evaluate(
              "Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)");
      least = Math.min(least, paint.asInt());
    }
    return least;
  }

  @Override
  public void close() {
    browser.close();
    fairlead.close();
  }
}
