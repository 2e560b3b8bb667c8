package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cloud identities as owners of a tenant allow them, and as jobs name them. */
class CloudIdentitiesIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String AWS =
      "annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::123456789012:role/train'}";
  private static int tenants;

  private String tenant;

  @BeforeEach
  void tenantOfTwoProjects() {
    tenants++;
    tenant = "cloud-" + tenants;
    made("/api/v1/tenants", "{name: %s}".formatted(tenant));
    made("/api/v1/projects", "{name: nlp}");
    made("/api/v1/projects", "{name: vision}");
  }

  private void made(String path, String body) {
    Http.Answer answer = sent("POST", path, body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  private Http.Answer sent(String method, String path, String body, String... more) {
    String[] headers = new String[more.length + 4];
    headers[0] = "Content-Type";
    headers[1] = Http.YAML;
    headers[2] = "Fairlead-Tenant";
    headers[3] = path.equals("/api/v1/tenants") ? "default" : tenant;
    System.arraycopy(more, 0, headers, 4, more.length);
    return HTTP.send(method, path, body, headers);
  }

  private Http.Answer put(String name, String body) {
    return sent("PUT", "/api/v1/cloud-identities/" + name, body);
  }

  private Http.Answer submit(String project, String body) {
    return sent("POST", "/api/v1/projects/" + project + "/jobs", body);
  }

  private static void refused(Http.Answer answer, String... parts) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    assertThat(answer.json().path("errors").toString()).contains(parts);
  }

  /** Fails when a project uses an identity without permission, or cannot use its own. */
  @Test
  void onlyJobsOfItsProjectsMayUseAnIdentity() {
    Http.Answer stored = put("checkpoints", "{projects: [nlp], %s}".formatted(AWS));
    assertThat(stored.status()).as(stored.body()).isEqualTo(200);
    assertThat(stored.json().path("serviceAccount").asString()).isEqualTo("cloud-checkpoints");

    Http.Answer job = submit("nlp", "{image: x, cloudIdentity: checkpoints}");
    assertThat(job.status()).as(job.body()).isEqualTo(201);
    assertThat(
            sent("GET", "/api/v1/jobs/" + job.json().get("id").asString(), null)
                .json()
                .at("/spec/cloudIdentity")
                .asString())
        .isEqualTo("checkpoints");
    refused(
        submit("vision", "{image: x, cloudIdentity: checkpoints}"),
        "/cloudIdentity",
        "Project vision may not use cloud identity \\\"checkpoints\\\". It may use none. An owner of the tenant can allow it: fairlead tenant cloud-identity apply checkpoints FILE");
    refused(
        submit("nlp", "{image: x, cloudIdentity: other}"),
        "may not use cloud identity \\\"other\\\". It may use: checkpoints.");
    assertThat(sent("GET", "/api/v1/cloud-identities?project=vision", null).json().get("items"))
        .isEmpty();
  }

  /** Fails when an annotation of another controller, or a malformed account, reaches a cluster. */
  @Test
  void accountsOutsideTheKnownFormsAreRefused() {
    refused(
        put("a", "{annotations: {kubernetes.io/enforce-mountable-secrets: 'true'}}"),
        "have no key \\\"kubernetes.io/enforce-mountable-secrets\\\". Keys: azure.workload.identity/client-id");
    refused(
        put("a", "{annotations: {eks.amazonaws.com/role-arn: admin}}"),
        "need a value such as arn:aws:iam::123456789012:role/train");
    refused(
        put("a", "{%s, audience: 'https://kubernetes.default.svc'}".formatted(AWS)),
        "/audience",
        "jobs get no token of the Kubernetes API");
    refused(
        put(
            "a",
            "{annotations: {iam.gke.io/gcp-service-account: trainer@nlp-prod.iam.gserviceaccount.com}}"),
        "/audience",
        "must be the workload identity provider");
    refused(
        put(
            "a",
            "{annotations: {azure.workload.identity/tenant-id: 6b1f1a52-3c0e-4a7e-9a51-0d7d3f6f2c11}}"),
        "need azure.workload.identity/client-id in addition to azure.workload.identity/tenant-id");
    refused(put("a", "{audience: '%s'}".formatted("a".repeat(256))), "/audience");
    refused(put("a", "{projects: [none]}"), "/projects/0", "There is no project");
    assertThat(put("a".repeat(58), "{}").status()).isEqualTo(400);
  }

  /** Fails when an owner of a project allows it an account. */
  @Test
  void anOwnerOfAProjectCannotAllowAnIdentity() {
    Http.Answer token =
        sent("POST", "/api/v1/tokens?project=nlp", "{name: t, user: vic, role: project-owner}");
    String bearer = "Bearer " + token.json().path("token").asString();
    assertThat(bearer).hasSizeGreaterThan(20);

    Http.Answer denied =
        sent("PUT", "/api/v1/cloud-identities/own", "{projects: [nlp]}", "Authorization", bearer);
    assertThat(denied.status()).as(denied.body()).isEqualTo(403);
  }

  /** Fails when a concurrent change is lost, or an identity outlives its deletion. */
  @Test
  void anIdentityIsChangedByItsVersionAndDeleted() {
    assertThat(put("checkpoints", "{projects: [nlp]}").header("ETag")).isEqualTo("\"1\"");
    String path = "/api/v1/cloud-identities/checkpoints";
    String body = "{projects: [nlp, vision]}";
    assertThat(sent("PUT", path, body, "If-Match", "\"7\"").status()).isEqualTo(412);
    assertThat(sent("PUT", path, body, "If-Match", "\"1\"").header("ETag")).isEqualTo("\"2\"");
    assertThat(submit("vision", "{image: x, cloudIdentity: checkpoints}").status()).isEqualTo(201);

    assertThat(sent("DELETE", path, null, "If-Match", "\"2\"").status()).isEqualTo(204);
    assertThat(sent("GET", path, null).status()).isEqualTo(404);
    refused(submit("vision", "{image: x, cloudIdentity: checkpoints}"), "It may use none.");
  }

  /** Fails when a waiting job starts with an identity that its project lost. */
  @Test
  void waitingJobFailsAtItsStartAfterItsIdentityWasDeleted() {
    assertThat(put("checkpoints", "{projects: [nlp]}").status()).isEqualTo(200);
    Http.Answer job =
        submit("nlp", "{image: x, cloudIdentity: checkpoints, gpu: {model: H200, count: 1}}");
    assertThat(job.status()).as(job.body()).isEqualTo(201);
    String path = "/api/v1/cloud-identities/checkpoints";
    assertThat(sent("DELETE", path, null, "If-Match", "*").status()).isEqualTo(204);

    Http.Answer cluster =
        sent(
            "POST",
            "/api/v1/clusters",
            "{name: %s, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H200}]}"
                .formatted(tenant));
    assertThat(cluster.status()).as(cluster.body()).isEqualTo(201);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(sent("GET", "/api/v1/jobs/" + job.json().get("id").asString(), null).body())
                .contains("\"FAILED\"", "\"CONFIGURATION\""));
  }
}
