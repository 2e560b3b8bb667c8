package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import tools.jackson.databind.JsonNode;

/** Policies set by owners, and their effect on users of two tenants. */
class PoliciesIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String DIGEST = "@sha256:" + "a".repeat(64);
  private static int tenants;

  private String[] one;
  private String[] other;

  @BeforeEach
  void twoTenants(TestInfo test) {
    tenants++;
    one = new String[] {"Fairlead-Tenant", "policies-" + tenants};
    other = new String[] {"Fairlead-Tenant", "policies-other-" + tenants};
    for (String[] tenant : new String[][] {one, other}) {
      made("/api/v1/tenants", "{name: %s}".formatted(tenant[1]));
      made("/api/v1/projects", "{name: nlp}", tenant);
      made("/api/v1/projects", "{name: vision}", tenant);
    }
  }

  /** Cancels the jobs, which would otherwise fill the clusters of a later class. */
  @AfterEach
  void cancelJobs() {
    for (String[] tenant : new String[][] {one, other}) {
      for (JsonNode job : HTTP.get("/api/v1/jobs?state=QUEUED", tenant).json().get("items")) {
        String cancel = "/api/v1/jobs/" + job.get("id").asString() + "/cancel";
        assertThat(HTTP.send("POST", cancel, "", with(tenant)).status()).isLessThan(300);
      }
    }
  }

  private static void made(String path, String body, String... headers) {
    Http.Answer answer = HTTP.send("POST", path, body, with(headers));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  private static String[] with(String... headers) {
    String[] all = new String[headers.length + 2];
    System.arraycopy(headers, 0, all, 2, headers.length);
    all[0] = "Content-Type";
    all[1] = Http.YAML;
    return all;
  }

  private Http.Answer put(String name, String project, String body) {
    String of = project == null ? "" : "?project=" + project;
    return HTTP.send("PUT", "/api/v1/policies/" + name + of, body, with(one));
  }

  private Http.Answer submit(String project, String body, String... tenant) {
    return HTTP.send("POST", "/api/v1/projects/" + project + "/jobs", body, with(tenant));
  }

  private static void refused(Http.Answer answer, String... parts) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    assertThat(answer.json().path("code").asString()).isEqualTo("POLICY_VIOLATION");
    assertThat(answer.json().path("errors").toString()).contains(parts);
  }

  /** Fails when a policy is not read with a submit, or is read for another project or tenant. */
  @Test
  void enforcedPolicyRejectsJobsOfItsProjectWithItsNameAndOwner() {
    String policy =
        "{owner: 'ana@example.com', enforced: true, requiredLabels: [team], images: [reg.io/nlp/],"
            + " digest: true}";
    assertThat(put("images", "nlp", policy).status()).isEqualTo(200);

    refused(
        submit("nlp", "{image: evil/x}", one),
        "The job needs the label team. Policy images of project nlp. Ask ana@example.com.",
        "Image evil/x is not allowed. An image begins with reg.io/nlp/.",
        "Image evil/x needs a digest");
    String allowed = "{image: reg.io/nlp/x%s, labels: {team: a}}".formatted(DIGEST);
    assertThat(submit("nlp", allowed, one).status()).isEqualTo(201);
    refused(submit("nlp", "{roles: [{name: a, image: evil}], labels: {team: a}}", one), "evil");
    assertThat(submit("vision", "{image: evil}", one).status()).isEqualTo(201);
    assertThat(submit("nlp", "{image: evil}", other).status()).isEqualTo(201);
  }

  /** Fails when a job can lose a required label after its submit. */
  @Test
  void patchIsEvaluatedLikeASubmit() {
    assertThat(
            put("labels", "nlp", "{owner: ana, enforced: true, requiredLabels: [team]}").status())
        .isEqualTo(200);
    Http.Answer job = submit("nlp", "{image: x, gpu: 1, labels: {team: a}}", one);
    assertThat(job.status()).as(job.body()).isEqualTo(201);
    String path = "/api/v1/jobs/" + job.json().get("id").asString();

    String[] headers = {"Content-Type", "application/merge-patch+json", one[0], one[1]};
    refused(
        HTTP.send("PATCH", path, "{\"labels\": {\"team\": null}}", headers),
        "needs the label team");
    Http.Answer changed = HTTP.send("PATCH", path, "{\"labels\": {\"team\": \"b\"}}", headers);
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
  }

  /** Fails when a patch is judged with the name of its caller. */
  @Test
  void patchIsEvaluatedAsTheUserOfTheJob() {
    Http.Answer job = submit("nlp", "{image: x, gpu: 1}", one);
    String user = job.json().get("user").asString();
    String rule =
        "{owner: o, enforced: true, rules: [{expression: 'job.user == \"%s\"', message: Not you.}]}";
    assertThat(put("user", "nlp", rule.formatted(user)).status()).isEqualTo(200);
    Http.Answer token =
        HTTP.send(
            "POST",
            "/api/v1/tokens?project=nlp",
            "{name: t, user: vic, role: project-owner}",
            with(one));
    assertThat(token.status()).as(token.body()).isEqualTo(201);
    Http.Answer patched =
        HTTP.send(
            "PATCH",
            "/api/v1/jobs/" + job.json().get("id").asString(),
            "{\"labels\": {\"team\": \"b\"}}",
            "Content-Type",
            "application/merge-patch+json",
            "Authorization",
            "Bearer " + token.json().get("token").asString());
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
  }

  @Test
  void tenantPolicyAppliesToAllItsProjectsAndABatchReportsEachItem() {
    String rule =
        "{owner: o, enforced: %s, rules: [{expression: 'job.gpus <= 8 && job.members < 5', message:"
            + " At most 8 GPUs.}]}";
    assertThat(put("size", null, rule.formatted("false")).status()).isEqualTo(200);
    assertThat(submit("nlp", "{image: x, gpu: 9}", one).status()).isEqualTo(201);
    assertThat(put("size", null, rule.formatted("true")).status()).isEqualTo(200);

    refused(submit("nlp", "{image: x, gpu: 9}", one), "At most 8 GPUs. Policy size of the tenant");
    refused(submit("vision", "{image: x, workers: 5}", one), "At most 8 GPUs.");
    assertThat(submit("nlp", "{image: x, gpu: {fraction: 0.5}}", one).status()).isEqualTo(201);
    JsonNode batch =
        HTTP.send(
                "POST",
                "/api/v1/projects/nlp/jobs/batch",
                "{items: [{image: x}, {image: x, gpu: 16}]}",
                with(one))
            .json();
    assertThat(batch.at("/items/0/status").intValue()).isEqualTo(201);
    assertThat(batch.at("/items/1/problem/code").asString()).isEqualTo("POLICY_VIOLATION");
    assertThat(HTTP.send("DELETE", "/api/v1/policies/size", null, one).status()).isEqualTo(204);
    assertThat(submit("nlp", "{image: x, gpu: 9}", one).status()).isEqualTo(201);
  }

  /** Fails when a job is allowed by a rule that cannot be evaluated. */
  @Test
  void ruleOnAMissingFieldRejectsTheJob() {
    String rule =
        "{owner: o, enforced: true, rules: [{expression: 'job.maxRuntimeSeconds <= 3600', message:"
            + " At most one hour.}]}";
    assertThat(put("hour", "nlp", rule).status()).isEqualTo(200);

    refused(submit("nlp", "{image: x}", one), "At most one hour. The expression failed");
    refused(submit("nlp", "{image: x, maxRuntime: 2h}", one), "At most one hour. Policy hour");
    assertThat(submit("nlp", "{image: x, maxRuntime: 1h}", one).status()).isEqualTo(201);
  }

  @Test
  void dryRunListsTheNewestJobsThatThePolicyWouldHaveRejected() {
    for (int gpus = 1; gpus <= 4; gpus++) {
      assertThat(submit("nlp", "{image: x, gpu: %d}".formatted(gpus), one).status()).isEqualTo(201);
    }
    assertThat(submit("vision", "{image: x, gpu: 9}", one).status()).isEqualTo(201);
    assertThat(submit("nlp", "{image: x, gpu: 9}", other).status()).isEqualTo(201);
    String draft =
        "{owner: o, enforced: true, rules: [{expression: 'job.gpus < 3', message: Fewer GPUs.}]}";

    JsonNode trial =
        HTTP.send("POST", "/api/v1/policy-trials?project=nlp", draft, with(one)).json();
    assertThat(trial.path("jobs").intValue()).as(trial.toString()).isEqualTo(4);
    assertThat(trial.path("refused")).hasSize(2);
    assertThat(trial.at("/refused/0/violations/0").asString()).isEqualTo("Fewer GPUs.");
    JsonNode wide = HTTP.send("POST", "/api/v1/policy-trials", draft, with(one)).json();
    assertThat(wide.path("jobs").intValue()).isEqualTo(5);
    assertThat(wide.path("refused")).hasSize(3);
    assertThat(HTTP.get("/api/v1/policies?project=nlp", one).json().path("items")).isEmpty();
    assertThat(submit("nlp", "{image: x, gpu: 4}", one).status()).isEqualTo(201);
  }

  @Test
  void unevaluableExpressionIsRejectedWithItsPointer() {
    for (String expression :
        new String[] {"job.gpus", "job.gpus <=", "jobs.gpus < 1", "1 + 2", "env.x == \"\""}) {
      Http.Answer answer =
          put(
              "bad",
              "nlp",
              "{owner: o, rules: [{expression: 'true', message: m}, {expression: '%s', message: m}]}"
                  .formatted(expression));
      if (!expression.equals("job.gpus")) { // of unknown type until a job is judged
        assertThat(answer.status()).as(expression + answer.body()).isEqualTo(422);
        assertThat(answer.json().at("/errors/0/pointer").asString())
            .isEqualTo("/rules/1/expression");
      }
    }
    Http.Answer missing = put("bad", "nlp", "{enforced: true}");
    assertThat(missing.json().at("/errors/0/pointer").asString()).isEqualTo("/owner");
    assertThat(put("bad", "nlp", "{owner: o, requiredLabels: [two words]}").body())
        .contains("/requiredLabels", "must be keys of labels");
    assertThat(put("bad", "nlp", "{owner: o, requiredLabels: [fairlead.dev/template]}").status())
        .isEqualTo(200);
    String silent = "{owner: o, rules: [{expression: 'true', message: ''}]}";
    assertThat(put("bad", "nlp", silent).body())
        .contains("/rules/0/message", "must have 1 to 500 characters");
  }

  @Test
  void repeatedRequestReturnsTheFirstResponseAfterAPolicyChange() {
    String[] keyed = new String[] {one[0], one[1], "Idempotency-Key", "policy-" + tenants};
    Http.Answer first = submit("nlp", "{image: x}", keyed);
    assertThat(put("none", "nlp", "{owner: o, enforced: true, images: [y]}").status())
        .isEqualTo(200);

    Http.Answer again = submit("nlp", "{image: x}", keyed);
    assertThat(again.status()).as(again.body()).isEqualTo(201);
    assertThat(again.json().path("id")).isEqualTo(first.json().path("id"));
    refused(submit("nlp", "{image: x}", one), "Policy none");
  }
}
