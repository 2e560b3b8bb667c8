package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The pages of the console in a real Chromium ({@code FAIRLEAD_BROWSER}). */
@Tag("long")
class ConsolePagesIT {
  private static final String BROWSER = System.getenv("FAIRLEAD_BROWSER");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String MARKUP = "<img src=x onerror=window.ran=true>";
  private static final int LONGEST_FRAME_MS = 50;
  private static final int LONGEST_PAINT_MS = 1_000;
  private static final String SERVICE = "/api/v1/projects/default/services/chat";
  private static final String CHAT = "#/services/default/chat";

  @TempDir private static Path profile;
  private static RunningFairlead fairlead;
  private static Chromium browser;
  private static String runs;
  private static String waits;

  @BeforeAll
  static void start() {
    assumeThat(BROWSER).as("FAIRLEAD_BROWSER, as make console sets it").isNotNull();
    fairlead = RunningFairlead.start(RunningFairlead.KEY);
    http()
        .yaml(
            "/api/v1/clusters",
            "{name: eu-1, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100, blocks:"
                + " 2, racksPerBlock: 1}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> http().get("/api/v1/clusters/eu-1").json().path("nodes").asInt(0) == 4);
    putService("v1");
    runs = submit("runs", 2, MARKUP);
    waits = submit("waits", 40, "");
    awaitState(runs, "RUNNING");
    browser = Chromium.start(BROWSER, profile.resolve("profile"));
  }

  @AfterAll
  static void end() {
    if (browser != null) {
      browser.close();
    }
    if (fairlead != null) {
      fairlead.close();
    }
  }

  /** Fails when a page breaks its Content-Security-Policy or a module throws. */
  @AfterEach
  void theBrowserHasNothingToComplainOf() {
    assertThat(browser.complaints()).isEmpty();
  }

  private static Http http() {
    return fairlead.http();
  }

  private static String submit(String name, int workers, String note) {
    Http.Answer made =
        http()
            .yaml(
                "/api/v1/projects/default/jobs",
                """
                name: %s
                image: train
                workers: %d
                gpu: H100:8
                env: {NOTE: "%s"}
                annotations: {sim.fairlead.dev/run-for: 1h}
                """
                    .formatted(name, workers, note));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return made.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() ->
            http().get("/api/v1/jobs/" + job).json().path("state").asString("").equals(state));
  }

  private static void open(String hash) {
    browser.open(http().base() + "/console/" + hash);
  }

  /** Fails when running jobs are not first, or a change is shown only after a reload. */
  @Test
  void jobsAreShownRunningFirstAndLive() {
    open("#/jobs");
    browser.shows("fl-jobs section:nth-of-type(1)", "runs");
    browser.shows("fl-jobs section:nth-of-type(2)", "needs 320 H100");
    browser.shows(".live", "Live");
    int paint =
        ConsoleScene.firstPaint(browser, http().base() + "/console/#/jobs", "fl-jobs tbody tr");
    System.out.printf("console: first contentful paint after %d ms%n", paint);
    assertThat(paint).isLessThan(LONGEST_PAINT_MS);
    browser.shows(".live", "Live");

    browser.evaluate(
        "const { lists } = document.querySelector('fl-jobs'); lists.every = 0; lists.restart();");
    String job = submit("later", 1, "");
    browser.shows("fl-jobs section:nth-of-type(1)", "later");
    http().json("/api/v1/jobs/" + job + "/cancel", "");
    browser.until(
        "document.querySelector('fl-jobs section:last-of-type').innerText.includes('later')");
  }

  /** Fails when the reason, its numbers or the change that would help is missing. */
  @Test
  void waitingJobShowsItsReasonsWithNumbersAndNearMisses() {
    open("#/jobs/" + waits);

    browser.shows(".blockers", "NEVER_FITS");
    browser.shows(".blockers", "needed 320");
    browser.shows(".misses", "starts now on eu-1");
  }

  /** Fails when text of the API becomes markup, or output is not followed. */
  @Test
  void runningJobShowsItsMembersAndItsOutputAsText() {
    open("#/jobs/" + runs);
    browser.shows("fl-job table", "worker-1");
    browser.shows(".logs pre", "started");

    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)");
    browser.shows(".spec", MARKUP);
    browser.evaluate(
        """
        (async () => {
          const main = document.querySelector('script[type=module]').src;
          const { jobLink } = await import(new URL('parts.js', main));
          const { render } = await import('lit');
          const place = document.querySelector('h1').parentElement.appendChild(document.createElement('p'));
          place.id = 'hostile';
          render(jobLink({ id: 'job_x', name: '%s' }), place);
        })()
        """
            .formatted(MARKUP));
    browser.shows("#hostile", MARKUP);
    assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
    assertThat(browser.evaluate("window.ran === undefined").asBoolean()).isTrue();
  }

  /** Fails when the pods of an object that runs in place are not shown by its parts. */
  @Test
  void membersOfAnObjectInPlaceAreGroupedByItsParts() {
    open("#/jobs/" + runs);
    browser.shows("fl-job table", "worker-1");

    browser.evaluate(
        """
        const { main } = document.querySelector('fl-job'), { read } = main;
        const add = (job) => (job.spec.annotations['front.fairlead.dev/object'] = 'team-a/rayjob/tune/u', job);
        main.read = async (signal) => add(await read(signal));
        main.refresh(true);
        """);
    browser.shows("fl-job", "Pods of rayjob team-a/tune");
    browser.shows("fl-job tbody th", "worker 2");
  }

  /** Fails when a job is cancelled before its plan was shown and its name was typed. */
  @Test
  void cancelShowsThePlanAndRequiresTheName() {
    String job = submit("doomed", 1, "");
    awaitState(job, "RUNNING");
    open("#/jobs/" + job);
    browser.shows(".actions", "Cancel");
    browser.evaluate("document.querySelector('.actions .danger').click()");
    browser.shows(".action-dialog", "CANCELLING");
    assertThat(browser.evaluate("document.querySelector('dialog .danger').disabled").asBoolean())
        .isTrue();

    browser.type("#confirm", "doomed");
    browser.until("!document.querySelector('dialog .danger').disabled");
    assertThat(http().get("/api/v1/jobs/" + job).json().get("state").asString())
        .isEqualTo("RUNNING");
    browser.evaluate("document.querySelector('dialog .danger').click()");
    awaitState(job, "CANCELLED");
    browser.shows(".title", "CANCELLED");
    browser.shows(".actions", "Delete"); // its output is retired a moment later
    assertThat(browser.count(".actions .danger")).isOne();
  }

  private static void putService(String run) {
    Http.Answer put =
        http()
            .send(
                "PUT",
                SERVICE,
                "{route: chat.example, stepFor: 1h, steps: [20, 100], job: {image: server, run: %s, annotations: {sim.fairlead.dev/requests: '400'}}}"
                    .formatted(run),
                "Content-Type",
                Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
  }

  private static String phase() {
    return http().get(SERVICE).json().at("/rollout/phase").asString("");
  }

  /** Opens a page with a token of the role, or without one for null. */
  private static void openAs(@Nullable String role, String hash) {
    String token = "";
    if (role != null) {
      String body = "{name: pages, user: %1$s-1, role: %1$s}".formatted(role);
      token = http().yaml("/api/v1/tokens", body).json().get("token").asString();
    }
    String kept = role == null ? "clear()" : "setItem('fairlead.token', '" + token + "')";
    // removed first: a read of the old page with the new token is an error in the log
    browser.evaluate("document.querySelector('fl-console').remove(); sessionStorage." + kept);
    open(hash);
  }

  /** Fails when an action is sent before its plan, or is offered to a user without the right. */
  @Test
  void servicePageShowsTheRolloutAndAbortsItAfterAPlan() {
    open("#/services");
    await().atMost(PATIENCE).until(() -> http().get(SERVICE).body().contains("\"weight\":100"));
    putService("v2");
    await().atMost(PATIENCE).until(() -> phase().equals("OBSERVING"));
    browser.shows("fl-services tbody", "v1 80 %, v2 20 %");
    browser.evaluate("document.querySelector('fl-services tbody a').click()");
    browser.shows("fl-service .steps [aria-current]", "20 %");
    browser.shows("fl-service", "of them bad");
    assertThat(browser.evaluate("location.hash").asString()).isEqualTo(CHAT);
    assertThat(browser.count("fl-service tbody a[href^=\"#/jobs/job_\"]")).isEqualTo(2);

    openAs("tenant-viewer", CHAT);
    browser.shows("fl-service", "OBSERVING");
    browser.read("rollbackModelService");
    assertThat(browser.count(".actions button, [data-version]")).isZero();
    openAs(null, CHAT);
    browser.shows(".actions", "Abort");
    browser.shows("fl-service", "now v1 80 %, v2 20 %"); // the plan uses these rows
    browser.evaluate("document.querySelector('.actions .danger').click()");
    browser.shows(".action-dialog", "v1 80 %, v2 20 % → v1 100 %");
    assertThat(phase()).isEqualTo("OBSERVING");
    browser.type("#confirm", "chat");
    browser.until("!document.querySelector('dialog .danger').disabled");
    browser.evaluate("document.querySelector('dialog .danger').click()");
    await().atMost(PATIENCE).until(() -> phase().equals("ABORTED"));
    browser.shows("fl-service .title", "SERVING");
    browser.until("!document.querySelector('.actions button')");
    browser.until("document.querySelectorAll('[data-version=\"2\"]').length === 1");
  }

  /** Fails when a filter is not in the address, or the audit is offered to a viewer. */
  @Test
  void auditIsFilteredByItsAddressAndHiddenFromViewers() {
    open("#/audit?action=submitJob");
    browser.shows("fl-audit tbody", runs);
    browser.evaluate(
        "document.querySelector('[name=object]').value = '%s'; document.querySelector('.filter button').click()"
            .formatted(waits));
    browser.until("document.querySelectorAll('fl-audit tbody tr').length === 1");
    browser.shows("fl-audit tbody", waits);
    assertThat(browser.evaluate("location.hash").asString())
        .isEqualTo("#/audit?action=submitJob&object=" + waits);
    open("#/audit?object=$(id)&server=elsewhere");
    browser.until(
        "document.querySelector('fl-audit fl-call')?.textContent.includes(\"list --object '$(id)'\\n\")");
    openAs("tenant-viewer", "#/audit");
    browser.shows("main", "do not allow listAudit");
    assertThat(browser.count("nav [href*=audit], nav [href*=health], fl-audit")).isZero();
    openAs(null, "#/jobs");
  }

  /** Fails when a period is missing, or is drawn outside the 14 days. */
  @Test
  void theCalendarShowsReservationsByClusterAndWindowsByPool() {
    http()
        .yaml(
            "/api/v1/pools",
            "{name: night, selector: {models: [L4]}, windows: [{cron: '0 22 * * *', duration: 8h, timezone: UTC}]}");
    String start = Instant.now().plus(Duration.ofDays(2)).toString();
    http()
        .yaml(
            "/api/v1/advance-reservations",
            "{name: demo-week, purpose: PROJECT, project: default, cluster: eu-1, count: 1, start: '%s', duration: 3d}"
                .formatted(start));
    open("#/calendar");
    browser.shows("fl-calendar tbody", "project default, 1 node");
    browser.shows("fl-calendar tbody", "more openings in these days");
    assertThat(
            browser
                .evaluate(
                    "(() => { const { offsetWidth, parentElement } = document.querySelector('.calendar-entry[data-entry=project]'); return Math.round(14 * offsetWidth / parentElement.offsetWidth) })()")
                .asInt())
        .isEqualTo(3);
    open("#/calendar?kind=window");
    browser.shows("fl-calendar tbody", "night");
    assertThat(browser.count("[data-entry=project].calendar-entry")).isZero();
    assertThat(http().send("DELETE", "/api/v1/advance-reservations/demo-week", null).status())
        .isLessThan(300);
  }

  /** Fails when a token is created without its plan, or its text remains on the page. */
  @Test
  void tokenIsShownOnceAndViewersCannotChangeMembers() {
    open("#/admin");
    browser.shows("fl-admin", "Members of the tenant");
    browser.until("document.querySelector('[data-act=createToken]')");
    browser.evaluate("document.querySelector('[data-act=createToken]').click()");
    browser.type("#field-name", "made-here");
    browser.type("#field-user", "sa:pages");
    browser.evaluate(
        "document.querySelector('#field-role').value = 'tenant-viewer';"
            + " document.querySelector('dialog[open] .primary').click()");
    browser.shows("dialog[open]", "sa:pages gets a token with the role tenant-viewer");
    browser.evaluate(
        "document.querySelector('dialog[open] .danger').click();"
            + " document.querySelector('#field-name').dispatchEvent(new Event('input'))");
    browser.shows("dialog[open]", "fl_"); // also after an edit while the token was created
    browser.evaluate("document.querySelector('dialog[open] .buttons button').click()");
    browser.shows("fl-tokens tbody", "made-here");
    browser.until("!document.body.innerHTML.includes('fl_')");

    openAs("tenant-viewer", "#/admin");
    browser.shows("fl-tokens", "tenant-viewer");
    browser.until("document.querySelector('[data-act=createToken]')");
    browser.read("putTenantMember");
    assertThat(browser.count("[data-act^=put], [data-act^=remove], [data-act=createProject]"))
        .isZero();
    openAs(null, "#/jobs");
  }

  /** Fails when the map cannot be used by the keyboard, or a node does not show its holders. */
  @Test
  void mapShowsTheHolderOfEachGpu() {
    String node = http().get("/api/v1/jobs/" + runs).json().at("/placement/nodes/0").asString();
    open("#/map");
    browser.shows("fl-map", "4 nodes, 32 GPUs");
    browser.until("document.querySelector('fl-map-canvas')?.drawn > 0");
    browser.evaluate("document.querySelector('.plane').focus()");
    browser.press("Home");
    browser.shows("#map-node", "eu-1-gpu-0000");
    browser.press("ArrowDown");
    browser.shows("#map-node", "eu-1-gpu-0001");
    open("#/map?node=" + node);
    browser.shows(".panel", "runs");
  }

  /** Fails when a queue lacks its use, its waiting demand or the link to its jobs. */
  @Test
  void quotaPageShowsUseAndPendingDemandOfEachQueue() {
    open("#/quotas");
    browser.shows("fl-quotas", "H100/RESERVED");
    browser.shows("fl-quotas tbody", "16");
    browser.shows("fl-shares", "Share of the GPU-hours in 14 days");
    JsonNode shares =
        browser.evaluate(
            """
            import(performance.getEntriesByType('resource').map((r) => r.name).find((n) => /shares/.test(n)))
              .then(({ shares }) => shares([
                { from: '1970-01-02T00:00:00Z', group: { queue: 'a' }, gpuHours: 1 },
                { from: '1970-01-02T00:00:00Z', group: { queue: 'b' }, gpuHours: 3 },
                { from: '1970-01-15T00:00:00Z', group: { queue: 'a' }, gpuHours: 9 }], 0))
            """);
    assertThat(shares.findValuesAsString("queue")).containsExactly("b", "a");
    assertThat(shares.at("/0/days/1").asDouble()).isEqualTo(3);
    browser.evaluate("document.querySelector('fl-quotas tbody a').click()");
    browser.shows("fl-jobs", "runs");
    assertThat(browser.evaluate("location.hash").asString()).isEqualTo("#/jobs?q=queue%3Adefault");
  }

  /** Fails when an incident is missing, or its text is not escaped. */
  @Test
  void theHealthPageShowsOpenIncidentsWithTheirIsolation() {
    open("#/health");
    browser.shows("fl-health", "No incident matches");
    String node = http().get("/api/v1/nodes?cluster=eu-1").json().at("/items/3/name").asString();
    Http.Answer reported =
        http()
            .yaml(
                "/api/v1/clusters/eu-1/health-events",
                "{events: [{id: console, at: '%s', node: %s, gpu: GPU-console, xid: 79, message: '%s'}]}"
                    .formatted(Instant.now(), node, MARKUP));
    assertThat(reported.status()).as(reported.body()).isLessThan(300);
    browser.shows("fl-health", node);
    browser.shows("fl-health", "XID 79");
    browser.evaluate("document.querySelector('fl-health tbody a').click()");
    browser.shows("fl-health .title", "Node " + node);
    assertThat(browser.evaluate("window.ran === undefined").asBoolean()).isTrue();
  }

  /** Fails when hours are not added up by the chosen group, or a budget or month is missing. */
  @Test
  void theUsagePageShowsHoursByGroupBudgetsAndStatements() {
    Http.Answer made =
        http()
            .yaml(
                "/api/v1/budgets",
                "{name: console, project: default, gpuHours: 500, period: MONTH, mode: SOFT}");
    assertThat(made.status()).as(made.body()).isLessThan(300);
    open("#/usage?by=user&from=1d");
    browser.shows("fl-usage", "Budgets");
    browser.shows("fl-usage", "console");
    browser.shows("fl-usage", "500");
    browser.shows("fl-usage", "Statements");
    browser.shows("fl-usage", "may still change");
    JsonNode totals =
        browser.evaluate(
            """
            import(performance.getEntriesByType('resource').map((r) => r.name).find((n) => /usage/.test(n)))
              .then(({ totals }) => totals([
                { group: { user: 'ana' }, gpuHours: 1.5, preliminary: false },
                { group: { user: 'bo' }, gpuHours: 4, preliminary: false },
                { group: { user: 'ana' }, gpuHours: 3, preliminary: true }], 'user'))
            """);
    assertThat(totals.toString())
        .isEqualTo(
            "[{\"key\":\"ana\",\"hours\":4.5,\"preliminary\":true},"
                + "{\"key\":\"bo\",\"hours\":4,\"preliminary\":false}]");
  }

  /** Fails when a frame with a fleet of 100,000 GPUs takes noticeably long. */
  @Test
  void aHundredThousandGpusAreDrawnInAFrame() {
    open("#/map");
    browser.until("document.querySelector('fl-map-canvas')?.drawn > 0");
    JsonNode least =
        browser.evaluate(
            """
            (async () => {
              const map = document.querySelector('fl-map');
              map.fleet.hostDisconnected();
              const nodes = Array.from({ length: 12500 }, (_, i) => ({
                name: 'n' + i, cluster: 'big', state: i % 97 ? 'ACTIVE' : 'CORDONED', model: 'H100',
                pool: null, topology: {}, foreign: 0, first: 8 * i,
                path: ['big', 'b' + (i >> 7), 'r' + (i >> 4)],
                gpus: Array.from({ length: 8 }, (_, g) => ({
                  serial: i + '-' + g, index: g, state: 'HEALTHY', allocated: (i + g) % 3 ? 1 : 0 })),
              }));
              map.fleet.value = { nodes, gpus: 100000 };
              map.requestUpdate();
              await map.updateComplete;
              const canvas = map.querySelector('fl-map-canvas');
              let least = Infinity;
              for (let frame = 0; frame < 40; frame++) {
                canvas.querySelector('.plane').scrollTop += 20;
                canvas.draw();
                await new Promise((next) => requestAnimationFrame(next));
                least = Math.min(least, canvas.drawn);
              }
              return least;
            })()
            """);

    System.out.printf("console: a frame of 100,000 GPUs takes %s ms%n", least.asDouble());
    assertThat(least.asDouble()).isLessThan(LONGEST_FRAME_MS);
  }

  /** Fails when a page is stale without an error, or does not recover. */
  @Test
  void aCutStreamAndASlowServiceAreShownUntilTheyRecover() {
    int port = URI.create(http().base()).getPort();
    try (CuttableProxy proxy = CuttableProxy.to(port)) {
      browser.open("http://127.0.0.1:" + proxy.port() + "/console/#/jobs");
      browser.shows(".live", "Live");
      browser.shows("fl-jobs", "runs");
      proxy.cut();
      browser.shows(".live", "Stream cut");
      browser.shows("fl-jobs .notice", "could not be read");
      browser.shows("fl-jobs .notice", "You see the state of");

      String job = submit("unreachable", 1, "");
      proxy.restore();
      browser.shows(".live", "Live");
      browser.shows("fl-jobs", "unreachable");
      browser.until("!document.querySelector('fl-jobs .notice')");

      proxy.freeze();
      http().json("/api/v1/jobs/" + job + "/cancel", "");
      browser.shows("fl-jobs .notice", "has not answered yet");
      proxy.thaw();
      browser.until("!document.querySelector('fl-jobs .notice')");
      browser.leave();
    }
    assertThat(browser.complaints()).allMatch(line -> line.contains("net::ERR_"));
  }
}
