package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** API tokens, from the view of their bearers and creators. */
class TokensIT {
  private static final String TOKENS = "/api/v1/tokens";
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static final String SPEC = "{image: x, placement: {clusters: [nowhere]}}";

  /** The promised time, plus the machine's own delay. */
  /** How long a slow machine has; that it is two seconds, TokenPrincipalsTest proves. */
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Http http = RunningFairlead.shared().http();

  private JsonNode made(String user, String role, String project) {
    member(user, role, project);
    String path = project.isEmpty() ? TOKENS : TOKENS + "?project=" + project;
    Http.Answer answer = http.yaml(path, "{name: it, user: '%s', role: %s}".formatted(user, role));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json();
  }

  /** It does not matter if another test created the principal. */
  private void member(String user, String role, String project) {
    String place = project.isEmpty() ? "/api/v1/tenants/default" : "/api/v1/projects/" + project;
    if (!role.equals("admin")) {
      Http.Answer put =
          http.send(
              "PUT", place + "/members/" + user, "{role: " + role + "}", "Content-Type", Http.YAML);
      assertThat(put.status()).as(put.body()).isEqualTo(200);
    }
  }

  private static String[] bearer(JsonNode made) {
    return new String[] {"Authorization", "Bearer " + made.get("token").asString()};
  }

  private static String own(JsonNode made) {
    return TOKENS + "/" + made.at("/details/id").asString();
  }

  private static List<String> allowed(Http.Answer job) {
    return job.json()
        .get("actions")
        .valueStream()
        .filter(action -> action.get("allowed").asBoolean())
        .map(action -> action.get("name").asString())
        .toList();
  }

  private JsonNode allowed(String project, String... headers) {
    String operations =
        "&operationId=putProjectMember&operationId=createProject&operationId=createToken";
    return http.get("/api/v1/me?project=" + project + operations, headers).json().get("allowed");
  }

  /** Fails when a role in one project counts in another, or a refused operation is returned. */
  @Test
  void bearerReadsItsPermittedOperationsInAProject() {
    assertThat(http.yaml("/api/v1/projects", "{name: tokens-other}").status()).isEqualTo(201);
    String[] owner = bearer(made("pia", "project-owner", "default"));
    member("pia", "project-viewer", "tokens-other");
    String[] viewer = bearer(made("pia", "tenant-viewer", ""));

    assertThat(allowed("default", owner).toString())
        .isEqualTo("{\"createToken\":\"own\",\"putProjectMember\":\"yes\"}");
    assertThat(allowed("tokens-other", viewer).toString()).isEqualTo("{\"createToken\":\"own\"}");
    assertThat(http.get("/api/v1/me?project=tokens-other", owner).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/me", owner).json().path("allowed").isNull()).isTrue();
  }

  @Test
  void tokenHolderActsWithItsNameAndRole() {
    String[] ana = bearer(made("ana", "tenant-member", ""));
    String[] eve = bearer(made("eve", "tenant-viewer", ""));

    Http.Answer submitted = http.yaml(JOBS, SPEC, ana);
    String job = "/api/v1/jobs/" + submitted.json().get("id").asString();

    assertThat(submitted.json().get("user").asString()).isEqualTo("ana");
    assertThat(allowed(http.get(job, ana))).contains("cancel", "suspend");
    assertThat(allowed(http.get(job, eve))).as("actions of a viewer").isEmpty();
    assertThat(http.send("POST", job + "/cancel", null, eve).code()).isEqualTo("FORBIDDEN");
    assertThat(http.yaml(JOBS, SPEC, eve).status()).isEqualTo(403);
    assertThat(http.send("POST", job + "/cancel", null, ana).status()).isEqualTo(200);
    assertThat(http.get("/api/v1/operations", ana).status()).isEqualTo(403);
  }

  /** Fails when a rejected header falls back to the local administrator. */
  @Test
  void headerWithoutATokenIsRejected() {
    for (String sent :
        new String[] {
          "Bearer fl_" + "A".repeat(43),
          "Bearer fl_x",
          "Bearer",
          "Bearer ",
          "bearer\t",
          "Bearer guessed",
          "Basic YTpi",
          "Negotiate",
          "fl_" + "A".repeat(43),
          ""
        }) {
      Http.Answer answer = http.get("/api/v1/me", "Authorization", sent);
      assertThat(answer.status()).as(sent).isEqualTo(401);
      assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
    }
    String good = bearer(made("ana", "tenant-viewer", ""))[1];
    assertThat(http.get("/api/v1/me", "Authorization", good, "Authorization", good).status())
        .isEqualTo(401);
    assertThat(http.get("/api/v1/me").status()).isEqualTo(200);
  }

  /** Fails when a token outlives the token that created it. */
  @Test
  void tokensCreatedByATokenEndWithIt() {
    JsonNode maker = made("olga", "tenant-owner", "");
    Http.Answer made =
        http.yaml(
            TOKENS, "{name: a, user: bob, role: tenant-viewer, expiresIn: 366d}", bearer(maker));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    JsonNode details = made.json().get("details");
    assertThat(details.get("expiresAt")).isEqualTo(maker.at("/details/expiresAt"));
    assertThat(details.get("madeBy")).isEqualTo(maker.at("/details/id"));
    assertThat(http.get("/api/v1/me", bearer(made.json())).status()).isEqualTo(200);

    http.send("DELETE", own(maker), null);

    assertThat(http.yaml(TOKENS, "{name: a, role: tenant-viewer}", bearer(maker)).status())
        .isEqualTo(401);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(http.get("/api/v1/me", bearer(made.json())).status()).isEqualTo(401));
  }

  /** Fails when a member can have the name under which the administrator's jobs run. */
  @Test
  void administratorTokensNameAUser() {
    Http.Answer refused = http.yaml(TOKENS, "{name: a, role: tenant-member}");
    assertThat(refused.code()).isEqualTo("INVALID_FIELD");
    assertThat(refused.body()).contains("/user", "--user");
    for (String name : new String[] {"local", "bootstrap"}) {
      String body = "{name: a, user: " + name + ", role: tenant-member}";
      assertThat(http.yaml(TOKENS, body).code()).isEqualTo("INVALID_FIELD");
    }
    assertThat(http.yaml(TOKENS, "{name: a, role: admin}").status()).isEqualTo(201);
  }

  @Test
  void tokenTextIsShownOnce() {
    JsonNode made = made("sa:once", "tenant-viewer", "");
    String text = made.get("token").asString();

    assertThat(text).matches("fl_[A-Za-z0-9_-]{43}");
    assertThat(http.get(own(made)).body()).contains("sa:once").doesNotContain(text);
    assertThat(http.get(TOKENS).body()).contains("sa:once").doesNotContain(text);
  }

  /** Fails when a token can be created with more permissions than its creator has. */
  @Test
  void tokenWithMorePermissionsThanItsCreatorIsRejected() {
    String[] member = bearer(made("mel", "tenant-member", ""));
    String[] owner = bearer(made("olga", "tenant-owner", ""));

    assertThat(http.yaml(TOKENS, "{name: a, role: tenant-owner}", member).status()).isEqualTo(403);
    assertThat(http.yaml(TOKENS, "{name: a, role: tenant-viewer}", member).status()).isEqualTo(201);
    assertThat(http.yaml(TOKENS, "{name: a, user: bob, role: tenant-viewer}", member).status())
        .isEqualTo(403);
    assertThat(http.yaml(TOKENS, "{name: a, user: bea, role: tenant-member}", owner).status())
        .isEqualTo(201);
    assertThat(http.yaml(TOKENS, "{name: a, role: admin}", owner).status()).isEqualTo(403);
    assertThat(http.yaml(TOKENS, "{name: a, role: project-viewer}", owner).code())
        .isEqualTo("INVALID_FIELD");
  }

  /** Fails when a token of a smaller role can revoke tokens of its principal with a larger role. */
  @Test
  void tokenCannotRevokeOneWithMorePermissions() {
    JsonNode admin = made("amy", "admin", "");
    JsonNode viewer = made("amy", "tenant-viewer", "");

    assertThat(http.send("DELETE", own(admin), null, bearer(viewer)).status()).isEqualTo(403);
    assertThat(http.send("DELETE", own(viewer), null, bearer(viewer)).status()).isEqualTo(204);
    assertThat(http.get("/api/v1/me", bearer(admin)).status()).isEqualTo(200);
  }

  @Test
  void foreignTokensAreVisibleToOwnersOnly() {
    JsonNode bobs = made("bob", "tenant-viewer", "");
    String[] mel = bearer(made("mel", "tenant-member", ""));

    assertThat(http.get(own(bobs), mel).status()).isEqualTo(404);
    assertThat(http.send("DELETE", own(bobs), null, mel).status()).isEqualTo(404);
    assertThat(http.get(TOKENS, mel).body()).contains("mel").doesNotContain("bob");
  }

  @Test
  void projectTokenIsRejectedOutsideItsProject() {
    http.yaml("/api/v1/projects", "{name: sibling}");
    String[] ana = bearer(made("ana", "project-member", "default"));

    assertThat(http.yaml(JOBS, SPEC, ana).status()).isEqualTo(201);
    assertThat(http.yaml("/api/v1/projects/sibling/jobs", SPEC, ana).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/projects/guessed/jobs", ana).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/jobs?project=default", ana).status()).isEqualTo(200);
    http.yaml("/api/v1/projects/sibling/jobs", SPEC);
    assertThat(http.get("/api/v1/jobs", ana).body())
        .contains("\"project\":\"default\"")
        .doesNotContain("\"project\":\"sibling\"");
  }

  @Test
  void revokedTokenIsRejectedWithinSeconds() {
    JsonNode made = made("ana", "tenant-viewer", "");
    assertThat(http.get("/api/v1/me", bearer(made)).status()).isEqualTo(200);

    assertThat(http.send("DELETE", own(made), null).status()).isEqualTo(204);

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(http.get("/api/v1/me", bearer(made)).status()).isEqualTo(401));
    assertThat(http.get(own(made)).json().get("revokedAt").isNull()).isFalse();
    assertThat(http.send("DELETE", own(made), null).status()).isEqualTo(204);
  }

  /** Fails when the token is checked only at the start of a stream. */
  @Test
  void openStreamEndsWhenItsTokenIsRevoked() throws IOException, InterruptedException {
    JsonNode made = made("ana", "tenant-viewer", "");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + "/api/v1/events/stream"))
            .headers(bearer(made))
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream stream =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      assertThat(stream.read()).isPositive();
      long from = System.nanoTime();
      http.send("DELETE", own(made), null);

      while (stream.read() >= 0) {
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(SOON);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(SOON);
    }
  }
}
