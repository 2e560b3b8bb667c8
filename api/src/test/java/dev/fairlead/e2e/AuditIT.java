package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.people.tenant.PermissionMatrix;
import dev.fairlead.people.tenant.Role;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The audit of a running service and its readers. */
class AuditIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String BOOTSTRAP = "a-token-to-begin-with";
  private static final String[] ADMIN = {"Authorization", "Bearer " + BOOTSTRAP};
  private static final List<String> WRITES = List.of("post", "put", "patch", "delete");
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start(@TempDir Path keys) {
    fairlead =
        RunningFairlead.start(
            "--fairlead.bootstrap-token=" + BOOTSTRAP,
            "--fairlead.key-file=" + keys.resolve("key"));
    http = fairlead.http();
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static String[] token(String user, String role, String... more) {
    Http.Answer made =
        http.json(
            "/api/v1/tokens",
            "{\"name\": \"t\", \"user\": \"%s\", \"role\": \"%s\"}".formatted(user, role),
            with(ADMIN, more));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return new String[] {"Authorization", "Bearer " + made.json().get("token").asString()};
  }

  private static String[] with(String[] headers, String... more) {
    String[] all = Arrays.copyOf(headers, headers.length + more.length);
    System.arraycopy(more, 0, all, headers.length, more.length);
    return all;
  }

  private static List<JsonNode> audit(String query, String... caller) {
    Http.Answer answer = http.get("/api/v1/audit?pageSize=500&" + query, caller);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().get("items").valueStream().toList();
  }

  /** Fails when a row lacks the caller, the request, or the source address. */
  @Test
  void changeIsAuditedWithItsRequest() {
    Http.Answer made =
        http.json(
            "/api/v1/projects", "{\"name\": \"audited\"}", with(ADMIN, "X-Request-Id", "req-42"));
    assertThat(made.status()).as(made.body()).isEqualTo(201);

    JsonNode row = audit("action=createProject", ADMIN).getFirst();
    assertThat(row.get("actor").asString()).isEqualTo("bootstrap");
    assertThat(row.get("outcome").asString()).isEqualTo("ALLOWED");
    assertThat(row.get("requestId").asString()).isEqualTo("req-42");
    assertThat(row.get("address").asString()).isEqualTo("127.0.0.1");
    assertThat(audit("action=createProject&outcome=DENIED", ADMIN)).isEmpty();
    assertThat(audit("action=createProject&after=2999-01-01T00:00:00Z", ADMIN)).isEmpty();
    assertThat(http.get("/api/v1/audit?outcome=maybe", ADMIN).status()).isEqualTo(400);
  }

  /** Fails when a stored row is not read back unchanged, or a change lacks its hashes. */
  @Test
  void changeStartsFromTheStateLeftByThePreviousChange() {
    steps(
        "Pool",
        "/api/v1/pools",
        "\"selector\": {\"models\": [\"H100\"]}",
        "\"description\": \"x\"");
    String queue = "\"defaultQueue\": \"default\"";
    steps("Project", "/api/v1/projects", queue, queue);
    steps("Quota", "/api/v1/quotas", "\"weight\": 2", "\"weight\": 3");
  }

  /** Fails when rows of a project do not differ in the hashed content. */
  @Test
  void eachProjectHasASeparateAuditChain() {
    String project = "/api/v1/projects/default";
    chain(
        "PUT",
        "putProjectMember",
        project + "/members/ann",
        "{role: project-viewer}",
        "{role: project-member}");
    chain("PUT", "putSecret", project + "/secrets/hashed", "{data: {a: b}}", "{data: {c: long}}");
    chain(
        "PATCH", "updateProjectLimits", project + "/limits", "{activeJobs: 7}", "{activeJobs: 8}");
  }

  private static void chain(
      String method, String action, String place, String first, String second) {
    for (String body : List.of(first, second)) {
      Http.Answer answer =
          http.send(method, place, body, with(ADMIN, "Content-Type", "application/yaml"));
      assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
    }
    List<JsonNode> rows = audit("outcome=ALLOWED&action=" + action, ADMIN);
    JsonNode hashed = rows.getFirst().at("/detail/hashed");
    assertThat(hashed.asString()).as(action).contains("/");
    assertThat(rows.get(1).at("/detail/hashed")).as(action).isEqualTo(hashed);
    assertThat(rows.get(0).get("before")).as(action).isEqualTo(rows.get(1).get("after"));
    assertThat(rows.get(0).get("after")).as(action).isNotEqualTo(rows.get(0).get("before"));
  }

  private static void steps(String kind, String path, String made, String changed) {
    Http.Answer created = http.json(path, "{\"name\": \"hashed\", " + made + "}", ADMIN);
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    String place = path + "/hashed";
    edit("PATCH", place, "{" + changed + "}");
    edit("DELETE", place, null);

    JsonNode create = row("create" + kind);
    JsonNode update = row("update" + kind);
    JsonNode delete = row("delete" + kind);
    assertThat(create.get("before").isNull()).isTrue();
    assertThat(create.get("after").asString()).as(kind).matches("[0-9a-f]{64}");
    assertThat(update.get("before")).as(kind).isEqualTo(create.get("after"));
    assertThat(update.get("after")).as(kind).isNotEqualTo(update.get("before"));
    assertThat(delete.get("before")).as(kind).isEqualTo(update.get("after"));
    assertThat(delete.get("after").isNull()).isTrue();
    assertThat(update.get("detail").has("afterHash")).as("said once").isFalse();
  }

  private static JsonNode row(String action) {
    return audit("outcome=ALLOWED&action=" + action, ADMIN).getFirst();
  }

  private static void edit(String method, String place, @Nullable String body) {
    String version = http.get(place, ADMIN).header("etag");
    Http.Answer answer =
        http.send(
            method,
            place,
            body,
            with(ADMIN, "Content-Type", "application/merge-patch+json", "If-Match", version));
    assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
  }

  /** Fails when an operation that changes something is denied without a row. */
  @Test
  void everyDeniedChangeIsAudited() {
    String[] nobody = token("nina", "tenant-viewer");
    TreeSet<String> denied = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path :
        RunningFairlead.documentedApi().get("paths").properties()) {
      for (String method : WRITES) {
        JsonNode operation = path.getValue().get(method);
        if (operation != null && !allowed(operation)) {
          String place =
              path.getKey()
                  .replace("{project}", "default")
                  .replaceAll("\\{[A-Za-z]+}", "job_01m7vxn2c4e0mtrw2g5kqy8v3d");
          String[] headers = with(nobody, "Content-Type", "application/json", "If-Match", "*");
          Http.Answer answer = http.send(method.toUpperCase(Locale.ROOT), place, "{}", headers);
          if (answer.status() == 403 || answer.status() == 404) {
            denied.add(operation.get("operationId").asString());
          }
        }
      }
    }
    assertThat(denied).hasSizeGreaterThan(30);

    await().atMost(PATIENCE).untilAsserted(() -> assertThat(deniedTo("nina")).containsAll(denied));
  }

  /**
   * Fails when only denials by the matrix leave a row: for an owner, who may cancel every job of
   * its tenant, jobs of other tenants appear nonexistent.
   */
  @Test
  void deniedAttemptsOfAnOwnerAreAudited() {
    String[] owner = token("olaf", "tenant-owner");
    String job = "/api/v1/jobs/job_01m7vxn2c4e0mtrw2g5kqy8v3d";

    assertThat(http.get(job, owner).status()).isEqualTo(404);
    assertThat(http.send("POST", job + "/cancel", null, owner).status()).isEqualTo(404);

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(deniedTo("olaf")).containsExactly("cancelJob"));
  }

  /**
   * Fails when a tenant reads process metrics, which name the queues of all tenants, or when the
   * denial has no audit row or does not name the permitted roles.
   */
  @Test
  void processMetricsAreReadableByThePlatformOnly() {
    Http management = fairlead.management();
    for (String path : List.of("/actuator/prometheus", "/actuator/metrics", "/actuator")) {
      for (String role : List.of("tenant-owner", "tenant-viewer")) {
        Http.Answer answer = management.get(path, token("mona", role));
        assertThat(answer.status()).as(path).isEqualTo(403);
        assertThat(answer.body()).contains("admin, operator, auditor").doesNotContain("fairlead_");
      }
      assertThat(management.get(path, token("ada", "auditor")).status()).isEqualTo(200);
      assertThat(management.get(path, ADMIN).status()).isEqualTo(200);
      assertThat(management.get(path).status()).isEqualTo(401);
    }
    assertThat(management.get("/actuator/health/readiness").status()).isEqualTo(200);

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(deniedTo("mona")).containsExactly("readMetrics"));
  }

  /**
   * Fails when a request without a valid token is not audited, or a former token holder is not
   * named.
   */
  @Test
  void unauthenticatedRequestsAreAudited() {
    String[] ended = token("rita", "tenant-viewer");
    String id =
        http.get("/api/v1/tokens?pageSize=500", ADMIN)
            .json()
            .get("items")
            .valueStream()
            .filter(made -> made.get("user").asString().equals("rita"))
            .findFirst()
            .orElseThrow()
            .get("id")
            .asString();
    assertThat(http.get("/api/v1/jobs", ended).status()).isEqualTo(200);
    assertThat(http.send("DELETE", "/api/v1/tokens/" + id, null, ADMIN).status()).isEqualTo(204);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(http.get("/api/v1/jobs", ended).status()).isEqualTo(401));
    for (String guess : List.of("Bearer fl_" + "x".repeat(43), "Bearer wrong", "Basic eDp5")) {
      assertThat(http.get("/api/v1/unreachable-by-all", "Authorization", guess).status())
          .isEqualTo(401);
    }
    assertThat(http.get("/api/v1/unreachable-by-all").status()).isEqualTo(401);

    // a denial just after the row of a minute is in the row of the next minute
    await()
        .atMost(PATIENCE.plusMinutes(1))
        .untilAsserted(() -> {
          List<JsonNode> unknown = audit("actor=%28unauthenticated%29", ADMIN);
          assertThat(unknown.stream().mapToInt(row -> row.get("count").asInt()).sum())
              .isGreaterThanOrEqualTo(4);
          JsonNode last = unknown.getFirst();
          assertThat(last.get("action").asString()).isEqualTo("authenticate");
          assertThat(last.get("outcome").asString()).isEqualTo("DENIED");
          assertThat(last.at("/detail/code").asString()).isEqualTo("UNAUTHENTICATED");
          assertThat(last.get("address").asString()).isEqualTo("127.0.0.1");
          assertThat(deniedTo("rita")).containsExactly("authenticate");
        });
  }

  private static boolean allowed(JsonNode operation) {
    return PermissionMatrix.CURRENT
        .rolesFor(operation.get("operationId").asString())
        .contains(Role.TENANT_VIEWER);
  }

  private static TreeSet<String> deniedTo(String actor) {
    TreeSet<String> found = new TreeSet<>();
    for (JsonNode row : audit("outcome=DENIED&actor=" + actor, ADMIN)) {
      found.add(row.get("action").asString());
      row.get("detail").path("operations").properties().forEach(e -> found.add(e.getKey()));
    }
    return found;
  }

  /**
   * Fails when callers other than owners and auditors can read it, or one tenant reads data of
   * another.
   */
  @Test
  void ownersAndAuditorsReadTheAuditOfTheirTenantOnly() {
    Map<String, Integer> expected =
        new TreeMap<>(
            Map.of("tenant-owner", 200, "auditor", 200, "tenant-member", 403, "operator", 403));
    expected.forEach((role, status) ->
        assertThat(http.get("/api/v1/audit", token("of-" + role, role)).status())
            .as(role)
            .isEqualTo(status));
    assertThat(http.json("/api/v1/tenants", "{\"name\": \"audited-apart\"}", ADMIN).status())
        .isEqualTo(201);
    assertThat(
            audit(
                "actor=bootstrap&action=createToken",
                with(ADMIN, "Fairlead-Tenant", "audited-apart")))
        .isEmpty();
    assertThat(audit("actor=bootstrap&action=createToken", ADMIN)).isNotEmpty();
  }

  /**
   * Fails when rows are not sealed automatically, or callers other than auditors can verify them.
   */
  @Test
  void auditRowsAreSealedAndAuditorsVerifyThem() {
    String[] auditor = token("vera", "auditor");
    String verification = "/api/v1/audit/verification";

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          JsonNode found = http.get(verification, auditor).json();
          assertThat(found.get("sequence").asLong()).isPositive();
          assertThat(found.get("waiting").asInt()).isZero();
          assertThat(found.get("broken").isNull()).isTrue();
          assertThat(found.get("more").asBoolean()).isFalse();
        });
    long sealed = http.get(verification, auditor).json().get("sequence").asLong();
    token("vera-of-a-later-seal", "auditor");
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(verification, auditor).json().get("sequence").asLong() > sealed);
    JsonNode first = http.get(verification + "?links=1", auditor).json();
    assertThat(first.get("sequence").asLong()).isPositive();
    assertThat(first.get("checked").asLong()).isEqualTo(first.get("sequence").asLong());
    assertThat(first.get("more").asBoolean()).isTrue();
    assertThat(first.get("waiting").isNull()).isTrue();
    assertThat(http.get(verification + "?afterSequence=999999", auditor).status()).isEqualTo(400);
    assertThat(http.get(verification + "?afterSequence=-1", auditor).status()).isEqualTo(400);
    assertThat(http.get(verification, token("olga", "tenant-owner")).status()).isEqualTo(403);
  }
}
