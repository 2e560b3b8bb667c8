package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Every page with roles of a tenant and of a project: an action that the role does not have is
 * neither shown nor sent.
 */
@Tag("long")
class ConsoleRolesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Operations of the buttons, by {@code data-act} or by their text. */
  private static final Map<String, String> OPERATIONS =
      Map.ofEntries(
          Map.entry("Suspend", "suspendJob"),
          Map.entry("Requeue", "requeueJob"),
          Map.entry("Cancel", "cancelJob"),
          Map.entry("Pause", "pauseModelService"),
          Map.entry("Promote", "promoteModelService"),
          Map.entry("Abort", "abortModelService"),
          Map.entry("rollback", "rollbackModelService"),
          Map.entry("start", "submitJob"),
          Map.entry("take", "submitJob"),
          Map.entry("open", "createSessionLink"),
          Map.entry("extend", "patchJob"),
          Map.entry("suspend", "suspendJob"),
          Map.entry("createProject", "createProject"),
          Map.entry("createToken", "createToken"),
          Map.entry("revokeToken", "revokeToken"),
          Map.entry("putTenantMember", "putTenantMember"),
          Map.entry("removeTenantMember", "removeTenantMember"),
          Map.entry("putProjectMember", "putProjectMember"),
          Map.entry("removeProjectMember", "removeProjectMember"));

  /** Objects that a new user has: the token of the test. */
  private static final Set<String> OF_OWN_OBJECTS = Set.of("createToken", "revokeToken");

  private static final String ACTIONS =
      "[...document.querySelectorAll('main .actions button, main [data-act], main [data-version], main .danger')]"
          + ".map((b) => b.dataset.act ?? (b.dataset.version ? 'rollback' : b.innerText.trim()))";

  private static final String REFUSED =
      "performance.getEntriesByType('resource').filter((r) => [401, 403].includes(r.responseStatus))"
          + ".map((r) => r.responseStatus + ' ' + r.name)";

  @TempDir private static Path profile;
  private static ConsoleScene scene;
  private static Chromium browser;
  private static List<String> pages;
  private static String job;

  @BeforeAll
  static void start() {
    scene = ConsoleScene.start(profile);
    browser = scene.browser();
    job = scene.fill()[0];
    put(
        "services/chat",
        "{route: chat.example, stepFor: 1h, steps: [20, 100], job: {image: server, run: v2}}");
    put("members/zoe", "{role: project-member}");
    scene.http().yaml("/api/v1/tokens", "{name: spare, user: sa:spare, role: tenant-viewer}");
    scene
        .http()
        .send(
            "PUT",
            "/api/v1/tenants/default/members/zoe",
            "{role: tenant-viewer}",
            "Content-Type",
            Http.YAML);
    Http.Answer session =
        scene
            .http()
            .yaml(
                "/api/v1/projects/default/jobs",
                "{name: eda, launcher: jupyter, image: lab, gpu: 1, maxRuntime: 8h, labels: {session: jupyter}, "
                    + ConsoleScene.FOR_THE_TEST
                    + "}");
    assertThat(session.status()).as(session.body()).isEqualTo(201);
    String eda = "/api/v1/jobs/" + session.json().get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() -> scene.http().get(eda).json().path("state").asString("").equals("RUNNING"));
    pages =
        List.of(
            "#/jobs",
            "#/jobs/" + job,
            "#/services",
            "#/services/default/chat",
            "#/sessions",
            "#/map",
            "#/calendar",
            "#/quotas",
            "#/health",
            "#/usage",
            "#/audit",
            "#/admin",
            "#/admin/default");
  }

  @AfterAll
  static void end() {
    if (scene != null) {
      scene.close();
    }
  }

  private static void put(String path, String body) {
    Http.Answer answer =
        scene
            .http()
            .send("PUT", "/api/v1/projects/default/" + path, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  /** Opens the next pages as a new user with this role. */
  private static void as(String role, String... headers) {
    String query = role.startsWith("project") ? "?project=default" : "";
    Http.Answer made =
        scene
            .http()
            .yaml(
                "/api/v1/tokens" + query,
                "{name: pages, user: %1$s-1, role: %1$s}".formatted(role),
                headers);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    stored("setItem('fairlead.token', '" + made.json().get("token").asString() + "')");
  }

  /** Changes the stored token. Opens the next pages as its user. */
  private static void stored(String change) {
    scene.open("#/jobs");
    browser.until("document.querySelector('fl-console')");
    browser.evaluate("document.querySelector('fl-console').remove(); sessionStorage." + change);
  }

  /** Texts that match an expression on the fully loaded page. */
  private static List<String> found(String page, String expression) {
    scene.open(page);
    scene.awaitReads();
    return browser.evaluate(expression).valueStream().map(JsonNode::asString).toList();
  }

  /** Rights of the role by operation: yes, own or no. */
  private static Map<String, String> rights(String role) throws IOException {
    try (InputStream source = ConsoleRolesIT.class.getResourceAsStream("/permissions.csv")) {
      List<String> lines =
          new String(Objects.requireNonNull(source).readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();
      int column = List.of(lines.getFirst().split(",")).indexOf(role);
      Map<String, String> rights = new TreeMap<>();
      lines.forEach(line -> rights.put(line.split(",")[0], line.split(",")[column]));
      return rights;
    }
  }

  private static boolean has(Map<String, String> rights, String operation) {
    String right = Objects.requireNonNull(rights.get(operation), operation);
    return right.equals("yes") || (right.equals("own") && OF_OWN_OBJECTS.contains(operation));
  }

  /**
   * Fails when a role sees a button that it may not use, misses a button that it may use, or has a
   * page that sends a refused request.
   */
  @Test
  void everyPageOffersEachRoleItsActionsAndSendsNoForbiddenRequest() throws IOException {
    stored("clear()");
    Map<String, Set<String>> all = new TreeMap<>();
    Set<String> offered = new TreeSet<>();
    for (String page : pages) {
      Set<String> actions = new TreeSet<>(found(page, ACTIONS));
      all.put(page, actions);
      offered.addAll(actions);
    }
    assertThat(offered).as("actions of an administrator").isEqualTo(OPERATIONS.keySet());

    List<String> refused = new ArrayList<>();
    for (String role :
        List.of(
            "tenant-viewer",
            "tenant-member",
            "project-owner",
            "project-member",
            "project-viewer")) {
      Map<String, String> rights = rights(role);
      as(role);
      for (String page : pages) {
        Set<String> expected = new TreeSet<>(Objects.requireNonNull(all.get(page)));
        expected.removeIf(action -> !has(rights, Objects.requireNonNull(OPERATIONS.get(action))));
        Set<String> actions = new TreeSet<>(found(page, ACTIONS));
        assertThat(actions)
            .as(() -> role + " on " + page + ": " + browser.evaluate("document.body.innerText"))
            .isEqualTo(expected);
        browser
            .evaluate(REFUSED)
            .forEach(request -> refused.add(role + " " + page + " " + request));
      }
    }
    assertThat(refused).isEmpty();
  }

  /** Fails when a page shows an object of another tenant, or reveals that it exists. */
  @Test
  void noPageShowsAnythingOfAnotherTenant() {
    scene.http().yaml("/api/v1/tenants", "{name: rival}");
    as("tenant-owner", "Fairlead-Tenant", "rival");
    for (String page : pages) {
      List<String> words =
          found(page, "[...document.body.innerText.matchAll(/[\\w.-]+/g)].map((m) => m[0])");
      assertThat(words)
          .as(page)
          .isNotEmpty()
          .doesNotContain(
              "runs", "waits", "eda", "zoe", "chat.example", "default-owner", "lab-warm-1");
    }
    assertThat(found("#/jobs/" + job, "[document.querySelector('main').innerText]").getFirst())
        .contains("There is no job");
  }
}
