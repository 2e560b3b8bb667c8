package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.webjars.WebJarVersionLocator;
import tools.jackson.databind.JsonNode;

/** Every page of the console: WCAG 2.2 by axe, by the keyboard, and with an API that fails. */
@Tag("long")
class ConsoleAccessIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String AXE = "/META-INF/resources/webjars/axe-core/%s/axe.min.js";
  private static final int MOST_TABS = 150;

  /** The narrowest screen that WCAG names, and a screen of 4k. */
  private static final List<Integer> WIDTHS = List.of(320, 3_840);

  @TempDir private static Path profile;
  private static ConsoleScene scene;
  private static Chromium browser;

  /** Text that each page shows when it is complete, by its address. */
  private static final Map<String, String> PAGES = new LinkedHashMap<>();

  @BeforeAll
  static void start() {
    scene = ConsoleScene.start(profile);
    browser = scene.browser();
    browser.bypassPolicy();
    String[] jobs = scene.fill();
    PAGES.put("#/jobs", "needs 320 H100");
    PAGES.put("#/jobs/" + jobs[0], "worker-1");
    PAGES.put("#/jobs/" + jobs[1], "NEVER_FITS");
    PAGES.put("#/services", "chat.example");
    PAGES.put("#/services/default/chat", "Replicas");
    PAGES.put("#/sessions", "1 of 1");
    PAGES.put("#/map", "4 nodes, 32 GPUs");
    PAGES.put("#/calendar", "API");
    PAGES.put("#/quotas", "H100/RESERVED");
    PAGES.put("#/health", "No incident matches");
    PAGES.put("#/usage", "Budgets");
    PAGES.put("#/audit", "submitJob");
    PAGES.put("#/admin", "Projects");
    PAGES.put("#/admin/default", "Namespace");
  }

  @AfterAll
  static void end() {
    if (scene != null) {
      scene.close();
    }
  }

  /** The browser has logged nothing of earlier tests. */
  @BeforeEach
  void noComplaints() {
    browser.leave();
    browser.passAll();
    List<String> _ = browser.complaints();
  }

  private static void open(String page) {
    scene.open(page);
    browser.shows("main", PAGES.get(page));
    browser.until("!document.querySelector('[aria-busy=true]')");
  }

  private static String axe() throws IOException {
    String version = new WebJarVersionLocator().version("axe-core");
    try (InputStream source = ConsoleAccessIT.class.getResourceAsStream(AXE.formatted(version))) {
      return new String(
          Objects.requireNonNull(source, "the WebJar of axe").readAllBytes(),
          StandardCharsets.UTF_8);
    }
  }

  private static List<String> violations() {
    JsonNode found =
        browser.evaluate(
            """
            axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
              violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
                id + ': ' + html.slice(0, 160) + ' ' + [...any, ...all, ...none].map((c) => c.message).join('; '))))
            """);
    return found.valueStream().map(JsonNode::asString).toList();
  }

  /** Fails when a page breaks a rule of WCAG that a program can check, in light or dark colours. */
  @Test
  void axeFindsNothingOnAnyPageInLightAndDarkColours() throws IOException {
    String axe = axe();
    Map<String, List<String>> found = new LinkedHashMap<>();
    for (String scheme : List.of("light", "dark")) {
      browser.scheme(scheme);
      for (String page : PAGES.keySet()) {
        open(page);
        browser.evaluate(axe + "; true");
        List<String> violations = violations();
        if (!violations.isEmpty()) {
          found.put(scheme + " " + page, violations);
        }
      }
    }
    System.out.printf("console: axe has read %d pages in two colours%n", PAGES.size());
    assertThat(found).isEmpty();
  }

  /** Fails when axe would find nothing on any page. */
  @Test
  void axeFindsAButtonWithoutAName() throws IOException {
    open("#/jobs");
    browser.evaluate(axe() + "; true");
    browser.evaluate("document.querySelector('h1').append(document.createElement('button'))");
    assertThat(violations()).anyMatch(line -> line.startsWith("button-name"));
  }

  /** Fails when a page has to be scrolled sideways. */
  @Test
  void everyPageFitsNarrowAndWideScreens() {
    try {
      for (int width : WIDTHS) {
        browser.size(width, 800);
        for (String page : PAGES.keySet()) {
          open(page);
          assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
              .as(page)
              .isLessThanOrEqualTo(width);
        }
      }
    } finally {
      browser.size(1440, 900);
    }
  }

  /** Fails when something can only be reached by a mouse, or the focus cannot be seen. */
  @Test
  void everyControlOfEveryPageIsReachedByTheKeyboard() {
    browser.scheme("light");
    for (String page : PAGES.keySet()) {
      open(page);
      browser.evaluate(
          """
          document.activeElement?.blur();
          globalThis.reached = new Set();
          globalThis.unseen = [];
          globalThis.controls = () => [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
            .filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true }) && !e.closest('dialog:not([open])'));
          true
          """);
      List<String> left = new ArrayList<>();
      for (int tab = 0; tab < MOST_TABS; tab++) {
        browser.press("Tab");
        JsonNode rest =
            browser.evaluate(
                """
                (() => {
                  const at = document.activeElement;
                  reached.add(at);
                  if (at !== document.body && getComputedStyle(at).outlineStyle === 'none') unseen.push(at.outerHTML.slice(0, 120));
                  return controls().filter((e) => !reached.has(e)).map((e) => e.outerHTML.slice(0, 120));
                })()
                """);
        left = rest.valueStream().map(JsonNode::asString).toList();
        if (left.isEmpty()) {
          break;
        }
      }
      assertThat(left).as("not reached on " + page).isEmpty();
      assertThat(browser.evaluate("unseen").toString()).as("focus on " + page).isEqualTo("[]");
    }
  }

  /** Fails when a page is empty or stale without an error while its reads fail. */
  @Test
  void everyPageShowsAServiceFailureAndItsRecovery() {
    for (String page : PAGES.keySet()) {
      browser.intercept(url -> url.contains("/api/v1/me") ? Chromium.PASSED : 503);
      scene.open(page);
      browser.shows("main .notice.bad", "could not be read");
      browser.shows("main .notice.bad", "The database is away.");
      browser.passAll();
      browser.shows("main", PAGES.get(page));
      browser.until("!document.querySelector('main .notice.bad')");
    }
    assertThat(browser.complaints()).allMatch(line -> line.contains("503"));
  }

  /** Fails when a page appears complete while its reads are slow. */
  @Test
  void everyPageShowsASlowService() {
    for (String page : PAGES.keySet()) {
      browser.intercept(url -> url.contains("/api/v1/me") ? Chromium.PASSED : Chromium.HELD);
      scene.open(page);
      browser.shows("main .notice.warn", "has not answered yet");
      browser.passAll();
    }
    browser.leave();
  }

  /** Fails when a page with live data does not show that its stream is cut. */
  @Test
  void everyLivePageShowsAnInterruptedStream() {
    for (String page : PAGES.keySet()) {
      open(page);
      if (browser.count(".live") == 0) {
        continue;
      }
      browser.shows(".live", "Live");
      browser.intercept(url -> url.contains("/events") ? 503 : Chromium.PASSED);
      scene.open(page);
      browser.shows(".live", "Stream cut");
      browser.passAll();
      browser.shows(".live", "Live");
    }
    assertThat(browser.complaints()).isNotEmpty().allMatch(line -> line.contains("503"));
  }

  /** Fails when a session starts without its plan, or needs a mouse. */
  @Test
  void aSessionIsTakenFromTheWarmPoolByTheKeyboard() {
    open("#/sessions");
    browser.until("document.querySelector('[data-act=take]')");
    assertThat(browser.evaluate("document.querySelectorAll('[data-act=take]').length").asInt())
        .as("a session cannot be taken from a Ray pool")
        .isOne();
    browser.evaluate("document.querySelector('[data-act=take]').focus()");
    browser.press("Enter");
    browser.until("document.querySelector('dialog[open] #field-name')");
    browser.until("document.activeElement.closest('dialog[open]')");
    browser.evaluate("document.querySelector('#field-name').focus()");
    for (String letter : "eda".split("")) {
      browser.press(letter);
    }
    browser.press("Enter");
    browser.shows("dialog[open]", "A running session of a warm pool becomes yours.");
    assertThat(names()).as("sent before its plan was confirmed").doesNotContain("eda");
    browser.evaluate("document.querySelector('dialog[open] .danger').focus()");
    browser.press("Enter");
    browser.shows("fl-sessions tbody", "eda");
    await().atMost(PATIENCE).until(() -> names().contains("eda"));
    browser.shows("fl-sessions tbody [data-act=open]", "Open");
    browser.evaluate("document.querySelector('[data-act=open]').focus()");
    browser.press("Enter");
    browser.shows("dialog[open]", "A link for you alone");
    browser.press("Escape");
    browser.evaluate("document.querySelector('[data-act=extend]').focus()");
    browser.press("Enter");
    browser.type("#field-maxRuntime", "16h");
    browser.press("Enter");
    browser.shows("dialog[open]", "12h → 16h");
    browser.evaluate("document.querySelector('dialog[open] .danger').focus()");
    browser.press("Enter");
    browser.until("!document.querySelector('dialog[open]')");
    await()
        .atMost(PATIENCE)
        .until(() -> sessions().at("/items/0/spec/maxRuntime").asString("").equals("16h"));
    browser.evaluate("document.querySelector('[data-act=suspend]').focus()");
    browser.press("Enter");
    browser.shows("dialog[open]", "SUSPENDED");
    browser.type("#confirm", "eda");
    browser.evaluate("document.querySelector('dialog[open] .danger').click()");
    browser.shows("fl-sessions tbody", "SUSPENDED");
    browser.until("document.querySelector('[data-act=resume]')");
  }

  private static JsonNode sessions() {
    return scene.http().get("/api/v1/jobs?label=session%3Djupyter&view=FULL").json();
  }

  private static List<String> names() {
    return sessions().get("items").valueStream().map(job -> job.get("name").asString()).toList();
  }
}
