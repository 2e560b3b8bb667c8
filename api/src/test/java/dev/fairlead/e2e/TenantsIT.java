package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Views of tenants and their members for administrators, owners and members. */
class TenantsIT {
  private static final String SPEC = "{image: x, placement: {clusters: [nowhere]}}";

  /** The documented time, plus the machine's own delay. */
  /** Time limit for a slow machine. TokenPrincipalsTest proves the two seconds. */
  private static final Duration SOON = Duration.ofSeconds(60);

  private static int count;
  private final Http http = RunningFairlead.shared().http();
  private final String tenant = "tenant-" + ++count;
  private final String path = "/api/v1/tenants/" + tenant;

  @BeforeEach
  void aTenantOfItsOwn() {
    Http.Answer made = http.yaml("/api/v1/tenants", "{name: " + tenant + ", displayName: Acme}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.header("Location")).isEqualTo(path);
  }

  private Http.Answer put(String member, String role, String... headers) {
    return putAt(path, member, role, headers);
  }

  private Http.Answer putAt(String place, String member, String role, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "Content-Type";
    all[1] = Http.YAML;
    System.arraycopy(headers, 0, all, 2, headers.length);
    return http.send("PUT", place + "/members/" + member, "{role: " + role + "}", all);
  }

  /** Headers of a token holder in the tenant, who becomes a member. */
  private String[] bearer(String user, String role) {
    put(user, role);
    Http.Answer made =
        http.yaml(
            "/api/v1/tokens",
            "{name: it, user: '%s', role: %s}".formatted(user, role),
            "Fairlead-Tenant",
            tenant);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return new String[] {"Authorization", "Bearer " + made.json().get("token").asString()};
  }

  private Http.Answer delete(String member, String... headers) {
    return http.send("DELETE", path + "/members/" + member, null, headers);
  }

  @Test
  void newTenantHasAQueueAndAProjectThatAcceptJobs() {
    String[] ana = bearer("ana", "tenant-member");

    Http.Answer submitted = http.yaml("/api/v1/projects/default/jobs", SPEC, ana);

    assertThat(submitted.json().get("tenant").asString()).isEqualTo(tenant);
    assertThat(http.get("/api/v1/me", ana).json().get("tenant").asString()).isEqualTo(tenant);
    assertThat(http.get("/api/v1/jobs", ana).json().get("items")).hasSize(1);
    assertThat(http.get("/api/v1/queues", ana).json().get("items")).hasSize(1);
  }

  /** Fails when the answer for an existing tenant differs from that for one that never existed. */
  @Test
  void foreignTenantLooksLikeAMissingOne() {
    String[] owner = bearer("olga", "tenant-owner");
    String[] other = {"Fairlead-Tenant", "default", owner[0], owner[1]};
    String[] guessed = {"Fairlead-Tenant", "guessed", owner[0], owner[1]};

    assertThat(http.get("/api/v1/tenants/default", owner).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/tenants/guessed", owner).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/jobs", other).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/jobs", guessed).status()).isEqualTo(404);
    assertThat(putAt("/api/v1/tenants/default", "olga", "tenant-owner", owner).status())
        .isEqualTo(404);
    assertThat(http.get("/api/v1/tenants", owner).json().get("items")).hasSize(1);
    assertThat(http.get("/api/v1/tenants").json().get("items").size()).isGreaterThan(1);
  }

  @Test
  void onlyAdministratorsCreateTenantsAndOnlyOwnersCreateMembers() {
    String[] owner = bearer("olga", "tenant-owner");
    String[] member = bearer("ana", "tenant-member");

    assertThat(http.yaml("/api/v1/tenants", "{name: mine}", owner).code()).isEqualTo("FORBIDDEN");
    assertThat(http.send("POST", path + "/archive", null, owner).code()).isEqualTo("FORBIDDEN");
    assertThat(put("bob", "tenant-viewer", owner).status()).isEqualTo(200);
    assertThat(put("ana", "tenant-owner", member).code()).isEqualTo("FORBIDDEN");
    assertThat(delete("olga", member).code()).isEqualTo("FORBIDDEN");
    assertThat(http.get(path + "/members", member).body()).contains("olga", "bob");
    assertThat(put("bob", "project-owner", owner).code()).isEqualTo("INVALID_FIELD");
    assertThat(put("a%20b", "tenant-viewer", owner).code()).isEqualTo("INVALID_PARAMETER");
    assertThat(put("local", "tenant-viewer", owner).code()).isEqualTo("INVALID_PARAMETER");
    assertThat(http.yaml("/api/v1/tenants", "{name: " + tenant + "}").code())
        .isEqualTo("NAME_IN_USE");
  }

  @Test
  void tenantIsCreatedOncePerKeyAndUpdatedByVersion() {
    String[] key = {"Idempotency-Key", "make-" + tenant};
    String spec = "{name: %s-twice}".formatted(tenant);
    String id = http.yaml("/api/v1/tenants", spec, key).json().get("id").asString();
    String[] patch = {"Content-Type", "application/merge-patch+json", "If-Match", "\"1\""};
    String body = "{\"displayName\": \"Renamed\"}";

    assertThat(http.yaml("/api/v1/tenants", spec, key).json().get("id").asString()).isEqualTo(id);
    assertThat(http.send("PATCH", path, body, patch).header("ETag")).isEqualTo("\"2\"");
    assertThat(http.send("PATCH", path, body, patch).code()).isEqualTo("VERSION_MISMATCH");
    assertThat(http.get(path).json().get("displayName").asString()).isEqualTo("Renamed");
    assertThat(http.yaml("/api/v1/tenants?validateOnly=true", "{name: tried}").status())
        .isEqualTo(201);
    assertThat(http.get("/api/v1/tenants/tried").status()).isEqualTo(404);
  }

  /** Fails when a null in a merge patch gets 200 and has no effect. */
  @Test
  void aNullInAPatchRemovesTheDisplayNameAndTheCostCentre() {
    String[] patch = {"Content-Type", "application/merge-patch+json"};
    String project = "/api/v1/projects/default";

    http.send("PATCH", project, "{\"costCentre\": \"CC-1\"}", patch);

    Http.Answer tenantChanged = http.send("PATCH", path, "{\"displayName\": null}", patch);
    Http.Answer projectChanged = http.send("PATCH", project, "{\"costCentre\": null}", patch);

    assertThat(tenantChanged.json().get("displayName").asString()).isEmpty();
    assertThat(projectChanged.json().get("costCentre").isNull()).isTrue();
  }

  /** Fails when a null for a field of a project gets 200 and has no effect. */
  @Test
  void nullInAPatchOfAProjectRestoresTheDefaultOrIsRejected() {
    String[] patch = {"Content-Type", "application/merge-patch+json"};
    String project = "/api/v1/projects/default";
    String set =
        "{\"egress\": {\"mode\": \"STRICT\"}, \"idlePolicy\": {\"mode\": \"WARN\", \"warnAfter\": \"30m\"}}";
    assertThat(http.send("PATCH", project, set, patch).status()).isEqualTo(200);

    Http.Answer refused = http.send("PATCH", project, "{\"defaultQueue\": null}", patch);
    Http.Answer reset =
        http.send("PATCH", project, "{\"egress\": null, \"idlePolicy\": null}", patch);

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body()).contains("/defaultQueue", "name of a queue");
    assertThat(reset.json().at("/egress/mode").asString()).isEqualTo("OPEN");
    assertThat(reset.json().at("/idlePolicy/mode").asString()).isEqualTo("OFF");
  }

  /** Fails when a user can sign in under a name that cannot be a member's. */
  @Test
  void memberNameIsTheNameUsedByTheIssuer() {
    for (String name : new String[] {"auth0%7C5f7c", "repo:acme%2Ftrain:ref:refs%2Fheads%2Fmain"}) {
      String decoded = URLDecoder.decode(name, StandardCharsets.UTF_8);

      Http.Answer added = put(name, "tenant-viewer");
      assertThat(added.status()).as(added.body()).isEqualTo(200);
      assertThat(added.json().get("user").asString()).isEqualTo(decoded);
      assertThat(http.get(path + "/members/" + name).status()).isEqualTo(200);
      assertThat(delete(name).status()).isEqualTo(204);
    }
    assertThat(http.get("/api/v1/jobs/a%2Fb").code()).isEqualTo("INVALID_PARAMETER");
    assertThat(http.get("/api/v1%2Ftenants/default/members/ana").status()).isEqualTo(400);
    assertThat(http.get(path + "/members/..%2F..%2Ftenants").status()).isEqualTo(404);
  }

  @Test
  void memberUpdateRequiresItsVersion() {
    String version = put("ana", "tenant-viewer").header("ETag");

    assertThat(put("ana", "tenant-member", "If-Match", version).status()).isEqualTo(200);
    assertThat(put("ana", "tenant-owner", "If-Match", version).code())
        .isEqualTo("VERSION_MISMATCH");
    assertThat(delete("ana", "If-Match", version).code()).isEqualTo("VERSION_MISMATCH");
    assertThat(delete("ana").status()).isEqualTo(204);
    assertThat(delete("ana").code()).isEqualTo("NOT_FOUND");
  }

  /** Fails when a token outlives the membership that it depends on, even if created again. */
  @Test
  void removedMemberIsRejectedWithinSeconds() {
    String[] ana = bearer("ana", "tenant-member");
    assertThat(http.get("/api/v1/me", ana).status()).isEqualTo(200);

    assertThat(delete("ana").status()).isEqualTo(204);

    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(http.get("/api/v1/me", ana).status()).isEqualTo(401));
    put("ana", "tenant-member");
    assertThat(http.get("/api/v1/me", ana).status()).isEqualTo(401);
  }

  /** Fails when a token keeps a role that its principal no longer has. */
  @Test
  void tokenGrantsNoMoreThanItsMemberHas() {
    String[] ana = bearer("ana", "tenant-member");
    assertThat(http.yaml("/api/v1/projects/default/jobs", SPEC, ana).status()).isEqualTo(201);

    put("ana", "tenant-viewer");

    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(http.yaml("/api/v1/projects/default/jobs", SPEC, ana).status())
                .isEqualTo(403));
    Http.Answer more =
        http.yaml(
            "/api/v1/tokens",
            "{name: more, user: ana, role: tenant-member}",
            "Fairlead-Tenant",
            tenant);
    assertThat(more.code()).isEqualTo("ILLEGAL_STATE");
  }

  /** Fails when the membership is checked only at the start of a stream. */
  @Test
  void openStreamEndsWhenItsMemberIsRemoved() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + "/api/v1/events/stream"))
            .headers(bearer("ana", "tenant-viewer"))
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream stream =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      assertThat(stream.read()).isPositive();
      long from = System.nanoTime();
      delete("ana");

      while (stream.read() >= 0) {
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(SOON);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(SOON);
    }
  }

  /** Fails when roles of a project see projects, or holders of GPUs, that are not theirs. */
  @Test
  void projectMemberSeesOnlyItsProjects() {
    String[] owner = bearer("olga", "tenant-owner");
    http.yaml("/api/v1/projects", "{name: nlp}", owner);
    assertThat(putAt("/api/v1/projects/nlp", "eve", "project-member", owner).status())
        .isEqualTo(200);
    Http.Answer made =
        http.yaml(
            "/api/v1/tokens?project=nlp", "{name: x, user: eve, role: project-member}", owner);
    String[] eve = {"Authorization", "Bearer " + made.json().get("token").asString()};

    assertThat(http.get("/api/v1/projects", eve).body()).contains("\"nlp\"");
    assertThat(http.get("/api/v1/projects", eve).json().get("items")).hasSize(1);
    assertThat(http.get("/api/v1/gpus", eve).status()).isEqualTo(200);
    assertThat(http.get("/api/v1/projects/nlp/members", eve).body()).contains("eve");
    assertThat(http.get("/api/v1/projects/default/members", eve).status()).isEqualTo(404);
    assertThat(http.get(path + "/members", eve).status()).isEqualTo(403);
  }

  /** Fails when the default project of a plan is ignored. */
  @Test
  void planWithoutAProjectUsesTheProjectDefault() {
    String[] owner = bearer("olga", "tenant-owner");
    Http.Answer made =
        http.yaml(
            "/api/v1/tokens?project=default", "{name: x, user: eve, role: project-member}", owner);
    String[] eve = {"Authorization", "Bearer " + made.json().get("token").asString()};

    assertThat(http.yaml("/api/v1/jobs/plan", SPEC, eve).status()).isEqualTo(200);
    http.yaml("/api/v1/projects", "{name: nlp}", owner);
    assertThat(http.yaml("/api/v1/jobs/plan?project=nlp", SPEC, eve).status()).isEqualTo(404);
  }

  /** Fails when something can be added to an archived tenant, or a job of it continues. */
  @Test
  void archivedTenantRejectsNewObjectsAndItsJobsAreCancelled() {
    String[] ana = bearer("ana", "tenant-owner");
    String job =
        "/api/v1/jobs/"
            + http.yaml("/api/v1/projects/default/jobs", SPEC, ana).json().get("id").asString();

    Http.Answer archived = http.send("POST", path + "/archive", null);

    assertThat(archived.json().path("state").asString("")).isEqualTo("ARCHIVING");
    assertThat(http.send("POST", path + "/archive", null).status()).isEqualTo(200);
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(http.yaml("/api/v1/projects/default/jobs", SPEC, ana).code())
                .isEqualTo("ILLEGAL_STATE"));
    // Submits are refused because of the tenant's row, other requests once the replica has read
    // that row again.
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(http.yaml("/api/v1/projects?validateOnly=true", "{name: late}", ana).code())
                .isEqualTo("ILLEGAL_STATE"));
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(http.get(job, ana).json().path("state").asString(""))
                .isEqualTo("CANCELLED"));
    assertThat(http.send("POST", "/api/v1/tenants/default/archive", null).code())
        .isEqualTo("ILLEGAL_STATE");
  }
}
