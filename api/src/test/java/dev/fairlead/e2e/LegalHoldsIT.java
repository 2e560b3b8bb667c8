package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Legal holds set by an owner of a tenant, and the deletions that they prevent. */
class LegalHoldsIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String[] HERE = {"Fairlead-Tenant", "held"};
  private static final String[] ELSEWHERE = {"Fairlead-Tenant", "not-held"};
  private static final String HOLD = "/api/v1/legal-holds/case-7";

  @BeforeAll
  static void twoTenants() {
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: held}").status()).isEqualTo(201);
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: not-held}").status()).isEqualTo(201);
    assertThat(HTTP.yaml("/api/v1/projects", "{name: nlp}", HERE).status()).isEqualTo(201);
  }

  private static Http.Answer put(String name, String body) {
    return HTTP.send(
        "PUT", "/api/v1/legal-holds/" + name, body, "Content-Type", Http.YAML, HERE[0], HERE[1]);
  }

  private static Http.Answer delete(String path) {
    return HTTP.send("DELETE", path, null, HERE);
  }

  private static String ended(String project) {
    String spec = "{image: x, placement: {clusters: [nowhere]}}";
    Http.Answer made = HTTP.yaml("/api/v1/projects/" + project + "/jobs", spec, HERE);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String job = made.json().get("id").asString();
    HTTP.send("POST", "/api/v1/jobs/" + job + "/cancel", null, HERE);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            HTTP.get("/api/v1/jobs/" + job, HERE)
                .json()
                .path("state")
                .asString("")
                .equals("CANCELLED"));
    return job;
  }

  /**
   * Fails when data under a hold can be deleted, even in a dry run, or remains after the hold ends.
   */
  @Test
  void dataUnderALegalHoldIsNotDeleted() {
    String job = ended("nlp");
    assertThat(put("case-7", "{reason: a court asks, job: " + job + "}").status()).isEqualTo(200);
    for (String path : new String[] {job, job + "?validateOnly=true"}) {
      Http.Answer refused = delete("/api/v1/jobs/" + path);
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.body()).contains("IN_USE", "is protected by legal hold \\\"case-7\\\"");
    }
    assertThat(HTTP.get(HOLD, HERE).json().get("job").asString()).isEqualTo(job);
    assertThat(delete("/api/v1/jobs/" + ended("nlp")).status()).isEqualTo(204);

    assertThat(put("case-7", "{reason: a court asks, project: nlp}").status()).isEqualTo(200);
    assertThat(delete("/api/v1/jobs/" + job).status()).isEqualTo(409);
    assertThat(put("case-8", "{reason: another, to: '2020-01-01T00:00:00Z'}").status())
        .isEqualTo(200);
    assertThat(delete(HOLD).status()).isEqualTo(204);
    assertThat(delete("/api/v1/jobs/" + job).status()).isEqualTo(204);
    assertThat(HTTP.get("/api/v1/audit?object=case-7", HERE).body())
        .contains("putLegalHold", "deleteLegalHold", "a court asks");

    Http.Answer project = delete("/api/v1/projects/nlp");
    assertThat(project.status()).as(project.body()).isEqualTo(409);
    assertThat(project.body()).contains("Project \\\"nlp\\\" is protected");
    Http.Answer tenant = HTTP.send("POST", "/api/v1/tenants/held/archive", null, HERE);
    assertThat(tenant.status()).as(tenant.body()).isEqualTo(409);
    assertThat(tenant.body()).contains("Tenant \\\"held\\\" is protected");
    assertThat(delete("/api/v1/legal-holds/case-8").status()).isEqualTo(204);
    assertThat(delete("/api/v1/projects/nlp").status()).isEqualTo(204);
  }

  /** Fails when a legal hold that covers nothing is stored, or another tenant can read a hold. */
  @Test
  void holdWithoutAScopeIsRejected() {
    assertThat(put("x", "{}").body()).contains("/reason");
    assertThat(put("x", "{reason: r, project: none}").body())
        .contains("/project", "There is no project");
    assertThat(put("x", "{reason: r, job: sft}").body()).contains("/job", "the id of a job");
    assertThat(put("x", "{reason: r, job: job_01m7vxn2c4e0mtrw2g5kqy8v3d}").body())
        .contains("/job", "There is no job");
    assertThat(
            put("x", "{reason: r, from: '2030-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z'}")
                .body())
        .contains("/to", "must be after from");
    assertThat(
            put("x", "{reason: r, project: default, job: job_01m7vxn2c4e0mtrw2g5kqy8v3d}").body())
        .contains("CONFLICTING_FIELDS");
    assertThat(put("Bad_Name", "{reason: r}").status()).isEqualTo(400);
    assertThat(HTTP.get("/api/v1/legal-holds/x", HERE).status()).isEqualTo(404);

    assertThat(put("seen", "{reason: r, to: '2020-01-01T00:00:00Z'}").status()).isEqualTo(200);
    assertThat(HTTP.get("/api/v1/legal-holds/seen", ELSEWHERE).status()).isEqualTo(404);
    assertThat(HTTP.get("/api/v1/legal-holds", ELSEWHERE).json().get("items")).isEmpty();
    assertThat(HTTP.send("DELETE", "/api/v1/legal-holds/seen", null, ELSEWHERE).status())
        .isEqualTo(404);
    assertThat(delete("/api/v1/legal-holds/seen").status()).isEqualTo(204);
  }
}
