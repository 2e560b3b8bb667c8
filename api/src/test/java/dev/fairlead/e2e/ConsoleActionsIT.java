package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Every action of the console: its plan, the request after the plan, and the name to confirm. */
@Tag("long")
class ConsoleActionsIT {
  private static final String SESSIONS = "#/sessions";
  private static final String CHAT = "#/services/default/chat";
  private static final String ADMIN = "#/admin";
  private static final String PROJECT = "#/admin/default";

  /** Requests that change something, without {@code validateOnly}, in the order of the page. */
  private static final String RECORD =
      """
      {
        const real = fetch;
        globalThis.sent = [];
        globalThis.fetch = (url, options = {}) => {
          if ((options.method ?? 'GET') !== 'GET') {
            const to = new URL(url);
            const planned = to.searchParams.get('validateOnly') === 'true';
            to.searchParams.delete('validateOnly');
            sent.push({ planned, request: [options.method, to.pathname + to.search, options.body].join(' ') });
          }
          return real(url, options);
        };
        globalThis.open = () => null;
      }
      """;

  @TempDir private static Path profile;
  private static ConsoleScene scene;
  private static Chromium browser;
  private static String job;

  @BeforeAll
  static void start() {
    scene = ConsoleScene.start(profile);
    browser = scene.browser();
    job = "#/jobs/" + scene.fill()[0];
  }

  /** The browser has logged nothing of earlier tests. */
  @BeforeEach
  void noComplaints() {
    browser.leave();
    List<String> _ = browser.complaints();
  }

  @AfterAll
  static void end() {
    if (scene != null) {
      scene.close();
    }
  }

  private static void roll(String run) {
    Http.Answer put =
        scene
            .http()
            .send(
                "PUT",
                "/api/v1/projects/default/services/chat",
                "{route: chat.example, stepFor: 1h, steps: [20, 100], job: {image: server, run: %s}}"
                    .formatted(run),
                "Content-Type",
                Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
  }

  /** The first button with a text, in an element that contains another one. */
  private static String button(String within, String containing, String text) {
    return """
    [...document.querySelectorAll('main %s')].filter((e) => e.innerText.includes('%s'))
      .flatMap((e) => [...e.querySelectorAll('button')]).find((b) => b.innerText.trim().startsWith('%s'))
    """
        .formatted(within, containing, text)
        .strip();
  }

  /**
   * Performs an action, and compares its request with that of the plan.
   *
   * @param shown text of the page before it
   * @param fields values of the dialog
   * @return whether the dialog asked for the name
   */
  private static boolean act(String page, String shown, String button, Map<String, String> fields) {
    scene.open(page);
    browser.shows("main", shown);
    browser.until(button);
    browser.evaluate(RECORD);
    browser.evaluate(button + ".click()");
    browser.until("document.querySelector('dialog[open] form')");
    fields.forEach((name, value) -> browser.type("#field-" + name, value));
    if (!fields.isEmpty()) {
      browser.evaluate("document.querySelector('dialog[open] .primary').click()");
    }
    browser.until("document.querySelector('dialog[open] form ul li, dialog[open] [role=alert]')");
    assertThat(browser.count("dialog[open] [role=alert]")).as(dialog()).isZero();
    JsonNode plan = browser.evaluate("sent");
    assertThat(plan.findValuesAsString("planned")).as(button).doesNotContain("false");

    boolean asks = browser.count("dialog[open] #confirm") == 1;
    if (asks) {
      assertThat(browser.evaluate("document.querySelector('dialog .danger').disabled").asBoolean())
          .as("%s without the name", button)
          .isTrue();
      browser.evaluate("globalThis.named = document.querySelector('dialog[open]').parentElement");
      browser.type("#confirm", browser.evaluate("named.act.name").asString());
    }
    browser.until("!document.querySelector('dialog[open] .danger').disabled");
    browser.evaluate("document.querySelector('dialog[open] .danger').click()");
    browser.until(
        "!document.querySelector('dialog[open] form') || document.querySelector('dialog[open] [role=alert]')");
    assertThat(browser.count("dialog[open] [role=alert]")).as(dialog()).isZero();
    List<JsonNode> sent = browser.evaluate("sent").valueStream().toList();
    assertThat(sent).as(button).hasSize(plan.size() + 1);
    assertThat(sent.getLast().get("planned").asBoolean()).isFalse();
    plan.forEach(
        before -> assertThat(sent.getLast().get("request")).isEqualTo(before.get("request")));
    return asks;
  }

  private static String dialog() {
    return browser.evaluate("document.querySelector('dialog[open]')?.innerText").asString("");
  }

  /** Fails when an action of a session differs from its plan. */
  @Test
  void sessionsAreStartedTakenExtendedSuspendedAndResumedAsPlanned() {
    String all = "fl-sessions";
    String row = "fl-sessions tr";
    boolean _ =
        act(
            SESSIONS,
            "Warm pools",
            button(all, "", "Start a session"),
            Map.of("name", "own", "image", "other"));
    boolean _ = act(SESSIONS, "1 of 1", button(row, "1 of 1", "Start"), Map.of("name", "eda"));
    boolean _ = act(SESSIONS, "eda", button(row, "eda", "Open"), Map.of());
    boolean _ = act(SESSIONS, "eda", button(row, "eda", "Extend"), Map.of("maxRuntime", "16h"));
    assertThat(act(SESSIONS, "eda", button(row, "eda", "Suspend"), Map.of())).isTrue();
    boolean _ = act(SESSIONS, "SUSPENDED", button(row, "eda", "Resume"), Map.of());
    assertThat(browser.complaints()).isEmpty();
  }

  /** Fails when an action of a job differs from its plan, or loses work without its name. */
  @Test
  void jobsAreSuspendedResumedRequeuedCancelledAndDeletedAsPlanned() {
    String actions = ".actions";
    assertThat(act(job, "RUNNING", button(actions, "", "Suspend"), Map.of())).isTrue();
    boolean _ = act(job, "SUSPENDED", button(actions, "", "Resume"), Map.of());
    assertThat(act(job, "RUNNING", button(actions, "", "Requeue"), Map.of())).isTrue();
    assertThat(act(job, "Spec", button(actions, "", "Cancel"), Map.of())).isTrue();
    assertThat(browser.complaints())
        .as("members that have ended have no output")
        .allMatch(line -> line.contains("404") && line.contains("/logs"));
    assertThat(act(job, "CANCELLED", button(actions, "", "Delete"), Map.of())).isTrue();
    browser.shows("fl-jobs", "waits");
    assertThat(browser.complaints())
        .as("reads of the event of the deletion")
        .allMatch(line -> line.contains("404"));
  }

  /** Fails when an action of a service differs from its plan, or does not require the name. */
  @Test
  void rolloutsAreAbortedRolledBackAndPromotedAsPlanned() {
    roll("v2");
    assertThat(act(CHAT, "→ 2", button(".actions", "", "Pause"), Map.of())).isFalse();
    assertThat(act(CHAT, "→ 2", button(".actions", "", "Resume"), Map.of())).isFalse();
    assertThat(act(CHAT, "→ 2", button(".actions", "", "Abort"), Map.of())).isTrue();
    assertThat(act(CHAT, "ABORTED", button("fl-service", "", "Roll back to v2"), Map.of()))
        .isTrue();
    roll("v3");
    assertThat(act(CHAT, "→ 3", button(".actions", "", "Promote"), Map.of())).isTrue();
    assertThat(browser.complaints()).isEmpty();
  }

  /** Fails when an action of the administration differs from its plan. */
  @Test
  void projectsTokensAndMembersAreChangedAsPlanned() {
    boolean _ =
        act(ADMIN, "Projects", button("fl-admin", "", "Create a project"), Map.of("name", "made"));
    boolean _ =
        act(
            ADMIN,
            "Tokens",
            button("fl-tokens", "", "Create a token"),
            Map.of("name", "made-here", "user", "sa:pages", "role", "tenant-viewer"));
    assertThat(act(ADMIN, "made-here", button("fl-tokens tr", "made-here", "Revoke"), Map.of()))
        .isTrue();
    for (String page : List.of(ADMIN, PROJECT)) {
      String role = page.equals(ADMIN) ? "tenant-viewer" : "project-viewer";
      boolean _ =
          act(
              page,
              "Members of the",
              button("fl-members", "", "Add a member"),
              Map.of("user", "una"));
      boolean _ = act(page, "una", button("fl-members tr", "una", "Change"), Map.of("role", role));
      assertThat(act(page, role, button("fl-members tr", "una", "Remove"), Map.of())).isTrue();
    }
    assertThat(browser.complaints()).isEmpty();
  }
}
