package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Templates stored by owners, and submits from them by users of two tenants. */
class TemplatesIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String[] ONE = {"Fairlead-Tenant", "templates-one"};
  private static final String[] OTHER = {"Fairlead-Tenant", "templates-other"};
  private static final String FINETUNE =
      """
      description: Fine-tunes a model
      parameters:
        - {name: model, type: STRING, pattern: '[A-Za-z0-9/_.;$() -]+', maxLength: 80}
        - {name: lr, type: NUMBER, defaultValue: 1e-4, minimum: 0, maximum: 1}
        - {name: gpus, type: INTEGER, defaultValue: 2, minimum: 1, maximum: 8}
        - {name: spot, type: BOOLEAN, defaultValue: false}
        - {name: size, type: ENUM, values: [small, large], defaultValue: small}
      locked: [/image, /env/OWNER]
      job:
        image: registry.example.com/train:2.9
        run: [python, train.py, --model, '${parameters.model}', '--lr=${parameters.lr}']
        gpu: {count: '${parameters.gpus}'}
        env: {OWNER: research, SIZE: '${parameters.size}'}
        labels: {size: '${parameters.size}'}
        preemption: {allowed: '${parameters.spot}'}
      """;

  @BeforeAll
  static void twoTenants() {
    for (String tenant : new String[] {"templates-one", "templates-other"}) {
      made("/api/v1/tenants", "{name: %s}".formatted(tenant));
    }
    made("/api/v1/projects", "{name: nlp}", ONE);
    made("/api/v1/projects", "{name: vision}", ONE);
    made("/api/v1/projects", "{name: nlp}", OTHER);
    assertThat(put("finetune", "nlp", FINETUNE).status()).isEqualTo(200);
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

  private static Http.Answer put(String name, String project, String body) {
    String of = project == null ? "" : "?project=" + project;
    return HTTP.send("PUT", "/api/v1/templates/" + name + of, body, with(ONE));
  }

  private static Http.Answer submit(String project, String body, String... tenant) {
    return HTTP.send("POST", "/api/v1/projects/" + project + "/jobs", body, with(tenant));
  }

  private static Http.Answer submit(String template) {
    return submit("nlp", "{template: %s}".formatted(template), ONE);
  }

  private static JsonNode refused(Http.Answer answer, int status, String pointer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    JsonNode error = answer.json().at("/errors/0");
    assertThat(error.path("pointer").asString("")).as(answer.body()).isEqualTo(pointer);
    return error;
  }

  @Test
  void submitFillsTheTemplateAndTheJobNamesIt() {
    Http.Answer answer =
        submit("{name: finetune, version: 1, parameters: {model: 'org/m; rm -rf /', gpus: 4}}");

    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    JsonNode job = answer.json();
    assertThat(job.at("/spec/command").toString())
        .isEqualTo("[\"python\",\"train.py\",\"--model\",\"org/m; rm -rf /\",\"--lr=0.0001\"]");
    assertThat(job.at("/spec/gpu/count").intValue()).isEqualTo(4);
    assertThat(job.at("/spec/preemption/allowed").booleanValue()).isFalse();
    assertThat(job.at("/labels").toString())
        .isEqualTo(
            "{\"fairlead.dev/template\":\"finetune\",\"fairlead.dev/template-scope\":\"project\","
                + "\"fairlead.dev/template-version\":\"1\",\"size\":\"small\"}");
    String listed =
        HTTP.get("/api/v1/projects/nlp/jobs?label=fairlead.dev/template%3Dfinetune", ONE).body();
    assertThat(listed).contains(job.path("id").asString());
  }

  /** Fails when a patch drops the labels of the template, or a new submit of the spec has them. */
  @Test
  void specCanBeResubmittedAndAPatchRetainsTheTemplate() {
    JsonNode job = submit("{name: finetune, parameters: {model: again}}").json();
    String path = "/api/v1/jobs/" + job.path("id").asString();

    Http.Answer patched =
        HTTP.send(
            "PATCH",
            path,
            "{\"labels\": {\"team\": \"a\"}}",
            "Content-Type",
            "application/merge-patch+json",
            "If-Match",
            "*",
            ONE[0],
            ONE[1]);
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
    assertThat(patched.json().at("/labels").toString())
        .contains("fairlead.dev/template", "\"team\":\"a\"");

    String spec = job.path("spec").toString().replace(job.path("name").asString(), "again-2");
    Http.Answer again =
        HTTP.send(
            "POST",
            "/api/v1/projects/nlp/jobs",
            spec,
            "Content-Type",
            "application/json",
            ONE[0],
            ONE[1]);
    assertThat(again.status()).as(again.body()).isEqualTo(201);
    assertThat(again.json().at("/labels").toString()).doesNotContain("fairlead.dev");
  }

  @Test
  void valueOutsideItsParameterRangeIsRejectedWithItsPointer() {
    String at = "/template/parameters/";
    refused(submit("{name: finetune}"), 422, at + "model");
    refused(submit("{name: finetune, parameters: {model: m, lr: 2}}"), 422, at + "lr");
    refused(submit("{name: finetune, parameters: {model: m, lr: '0.1'}}"), 422, at + "lr");
    refused(submit("{name: finetune, parameters: {model: m, gpus: 1.5}}"), 422, at + "gpus");
    refused(submit("{name: finetune, parameters: {model: m, size: huge}}"), 422, at + "size");
    refused(submit("{name: finetune, parameters: {model: m, spot: 'yes'}}"), 422, at + "spot");
    refused(submit("{name: finetune, parameters: {model: [m]}}"), 422, at + "model");
    refused(submit("{name: finetune, parameters: {model: \"a\\nb\"}}"), 422, at + "model");
    JsonNode unknown =
        refused(submit("{name: finetune, parameters: {model: m, typo: 1}}"), 422, at + "typo");
    assertThat(unknown.path("code").asString()).isEqualTo("UNKNOWN_FIELD");
    refused(submit("{name: finetune, parameters: {model: m}, extra: 1}"), 422, "/template/extra");
  }

  /** Fails when the fields of a submit are not compared with the locks. */
  @Test
  void lockedFieldIsRejectedAndAnotherFieldChangesTheJob() {
    String used = "{template: {name: finetune, parameters: {model: m}}, ";
    for (String locked : new String[] {"image: evil", "env: {OWNER: me}", "env: null"}) {
      Http.Answer answer = submit("nlp", used + locked + "}", ONE);
      assertThat(answer.status()).as(answer.body()).isEqualTo(422);
      assertThat(answer.json().path("code").asString()).isEqualTo("LOCKED_FIELD");
    }
    JsonNode error =
        refused(submit("nlp", used + "roles: [{name: a, image: evil}]}", ONE), 422, "/roles");
    assertThat(error.path("detail").asString()).contains("Template finetune locks /");

    Http.Answer changed = submit("nlp", used + "env: {MORE: a}, queue: default}", ONE);
    assertThat(changed.status()).as(changed.body()).isEqualTo(201);
    assertThat(changed.json().at("/spec/env").toString())
        .isEqualTo("{\"MORE\":\"a\",\"OWNER\":\"research\",\"SIZE\":\"small\"}");
  }

  @Test
  void earlierVersionCanBeSubmittedWhileTheHistoryRetainsIt() {
    String body =
        "{job: {image: a, run: [a, '${parameters.x}']}, parameters: [{name: x, type:"
            + " STRING, defaultValue: %s}]}";
    for (String value : new String[] {"one", "two", "two", "three"}) {
      assertThat(put("versions", "nlp", body.formatted(value)).status()).isEqualTo(200);
    }

    assertThat(HTTP.get("/api/v1/templates/versions?project=nlp", ONE).json().path("version"))
        .hasToString("3");
    String first = "/api/v1/templates/versions?project=nlp&version=1";
    assertThat(HTTP.get(first, ONE).body()).contains("\"defaultValue\":\"one\"");
    assertThat(submit("{name: versions, version: 2}").json().at("/spec/command").toString())
        .isEqualTo("[\"a\",\"two\"]");
    refused(submit("{name: versions, version: 4}"), 404, "/template/version");
    assertThat(submit("{name: versions, version: 2}").json().at("/labels").toString())
        .contains("\"fairlead.dev/template-version\":\"2\"");
  }

  /** Fails when templates are found only by name. */
  @Test
  void aTemplateOfAnotherTenantOrProjectDoesNotExist() {
    refused(
        submit("nlp", "{template: {name: finetune, parameters: {model: m}}}", OTHER),
        404,
        "/template/name");
    refused(
        submit("vision", "{template: {name: finetune, parameters: {model: m}}}", ONE),
        404,
        "/template/name");
    assertThat(HTTP.get("/api/v1/templates/finetune?project=nlp", OTHER).status()).isEqualTo(404);
    assertThat(HTTP.get("/api/v1/templates?project=nlp", OTHER).json().path("items")).isEmpty();
    assertThat(HTTP.send("DELETE", "/api/v1/templates/finetune?project=nlp", null, OTHER).status())
        .isEqualTo(404);
  }

  @Test
  void tenantTemplateServesAllProjectsAndAProjectTemplateTakesPrecedence() {
    assertThat(put("shared", null, "{job: {image: of-tenant}}").status()).isEqualTo(200);
    assertThat(put("shared", "nlp", "{job: {image: of-project}}").status()).isEqualTo(200);

    String body = "{template: {name: shared}}";
    assertThat(submit("nlp", body, ONE).json().at("/spec/image").asString())
        .isEqualTo("of-project");
    JsonNode job = submit("vision", body, ONE).json();
    assertThat(job.at("/spec/image").asString()).isEqualTo("of-tenant");
    assertThat(job.at("/labels").toString()).contains("\"fairlead.dev/template-scope\":\"tenant\"");
    assertThat(submit("nlp", body, OTHER).status()).isEqualTo(404);
  }

  /** Fails when the template is read before the key of a request that stored its jobs. */
  @Test
  void repeatedRequestGetsTheFirstAnswerAfterItsTemplateIsDeleted() {
    assertThat(put("gone", "nlp", "{job: {image: a}}").status()).isEqualTo(200);
    String body = "{template: {name: gone}}";
    String batch =
        "{items: [{template: {name: gone}, name: gone-1}, {image: b, name: gone-2}], atomic: %s}";
    String[] keyed = {ONE[0], ONE[1], "Idempotency-Key", "gone"};
    JsonNode first = submit("nlp", body, keyed).json();
    JsonNode items = batch(batch.formatted("false"), keyed);
    String[] whole = {ONE[0], ONE[1], "Idempotency-Key", "gone-whole"};
    String atomic = batch.formatted("true").replace("gone-", "whole-");
    JsonNode all = batch(atomic, whole);
    assertThat(all.at("/items/0/status").intValue()).isEqualTo(201);
    assertThat(HTTP.send("DELETE", "/api/v1/templates/gone?project=nlp", null, ONE).status())
        .isEqualTo(204);

    Http.Answer again = submit("nlp", body, keyed);
    assertThat(again.status()).as(again.body()).isEqualTo(201);
    assertThat(again.json().path("id")).isEqualTo(first.path("id"));
    for (int i = 0; i < 2; i++) {
      String id = "/items/%d/job/id".formatted(i);
      assertThat(batch(batch.formatted("false"), keyed).at(id)).isEqualTo(items.at(id));
      assertThat(batch(atomic, whole).at(id)).isEqualTo(all.at(id));
    }
    assertThat(submit("nlp", body, ONE).status()).isEqualTo(404);
    Http.Answer other = submit("nlp", "{template: {name: gone}, name: other}", keyed);
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  private static JsonNode batch(String items, String... headers) {
    return HTTP.send("POST", "/api/v1/projects/nlp/jobs/batch", items, with(headers)).json();
  }

  /** Fails when an object can replace the text that contains the locked model. */
  @Test
  void aLockedPartOfATextIsNotReplacedByAnObject() {
    assertThat(
            put("model", "nlp", "{job: {image: a, gpu: 'H100:1'}, locked: [/gpu/model]}").status())
        .isEqualTo(200);
    JsonNode error =
        refused(submit("nlp", "{template: {name: model}, gpu: {count: 2}}", ONE), 422, "/gpu");
    assertThat(error.path("code").asString()).isEqualTo("LOCKED_FIELD");
  }

  @Test
  void invalidTemplateIsRejectedOnItsCreation() {
    String job = "{job: %s, parameters: [{name: x, type: %s}]}";
    refused(put("bad", "nlp", "{job: {image: a, imag: b}}"), 422, "/job/imag");
    refused(put("bad", "nlp", "{job: {image: a, workers: 0}}"), 422, "/job/workers");
    refused(put("bad", "nlp", "{job: {image: a}, locked: [/imag]}"), 422, "/locked/0");
    refused(put("bad", "nlp", "{job: {image: a}, locked: [image]}"), 422, "/locked/0");
    refused(
        put("bad", "nlp", job.formatted("{image: '${parameters.y}'}", "STRING")),
        422,
        "/job/image");
    refused(
        put("bad", "nlp", job.formatted("{image: a, run: 'echo ${parameters.x}'}", "STRING")),
        422,
        "/job/run");
    refused(
        put("bad", "nlp", job.formatted("{image: a, env: {'${parameters.x}': b}}", "STRING")),
        422,
        "/job/env/${parameters.x}");
    refused(
        put(
            "bad",
            "nlp",
            "{job: {image: a, workers: '${parameters.x}'}, parameters: [{name: x, type: INTEGER,"
                + " defaultValue: 0}]}"),
        422,
        "/job/workers");
    refused(
        put("bad", "nlp", "{job: {image: a}, parameters: [{name: x, type: INTEGER, pattern: a}]}"),
        422,
        "/parameters/0/pattern");
    refused(
        put("bad", "nlp", "{job: {image: a}, parameters: [{name: a b, type: STRING}]}"),
        422,
        "/parameters/0/name");
    refused(put("bad", "nlp", "{job: {image: a}, parameters: [null]}"), 422, "/parameters/0");
    refused(put("bad", "nlp", "{job: []}"), 422, "/job");
    refused(
        put("bad", "nlp", "{job: {image: a, template: {name: finetune}}}"), 422, "/job/template");
    assertThat(HTTP.get("/api/v1/templates/bad?project=nlp", ONE).status()).isEqualTo(404);
  }

  /** The template lacks the default that would have revealed the error when it was stored. */
  @Test
  void invalidFilledFieldIsRejectedWithItsTemplate() {
    String body =
        "{job: {image: a, maxRuntime: '${parameters.x}'}, parameters: [{name: x, type: STRING}]}";
    assertThat(put("runtime", "nlp", body).status()).isEqualTo(200);

    JsonNode error = refused(submit("{name: runtime, parameters: {x: long}}"), 422, "/maxRuntime");
    assertThat(error.path("detail").asString())
        .contains("version 1 of template runtime", "parameter x");
  }

  @Test
  void batchAndPlanAcceptTemplates() {
    String items =
        "{items: [{template: {name: finetune, parameters: {model: a}}}, {template: {name: none}},"
            + " {template: {name: finetune, parameters: {model: b, lr: 7}}}]}";
    JsonNode batch = HTTP.send("POST", "/api/v1/projects/nlp/jobs/batch", items, with(ONE)).json();
    assertThat(batch.at("/items/0/status").intValue()).isEqualTo(201);
    assertThat(batch.at("/items/1/status").intValue()).isEqualTo(404);
    assertThat(batch.at("/items/2/problem/errors/0/pointer").asString())
        .isEqualTo("/items/2/template/parameters/lr");

    Http.Answer plan =
        HTTP.send(
            "POST",
            "/api/v1/jobs/plan?project=nlp",
            "{template: {name: finetune, parameters: {model: a, gpus: 8}}}",
            with(ONE));
    assertThat(plan.status()).as(plan.body()).isEqualTo(200);
    assertThat(plan.json().at("/spec/gpu/count").intValue()).isEqualTo(8);
  }

  @Test
  void templateChangeRequiresItsVersionAndCanBeReverted() {
    assertThat(put("guarded", "nlp", "{job: {image: one}}").status()).isEqualTo(200);
    String path = "/api/v1/templates/guarded?project=nlp";
    assertThat(put("guarded", "nlp", "{job: {image: two}}").status()).isEqualTo(200);
    Http.Answer stale =
        HTTP.send(
            "PUT",
            path,
            "{job: {image: three}}",
            "Content-Type",
            Http.YAML,
            "If-Match",
            "\"1\"",
            ONE[0],
            ONE[1]);
    assertThat(stale.status()).as(stale.body()).isEqualTo(412);

    long version =
        HTTP.get("/api/v1/config/history?kind=TEMPLATE&pageSize=1", ONE)
            .json()
            .at("/items/0/version")
            .longValue();
    Http.Answer reverted =
        HTTP.send("POST", "/api/v1/config/history/" + version + "/revert", null, ONE);
    assertThat(reverted.status()).as(reverted.body()).isLessThan(300);
    assertThat(HTTP.get(path, ONE).json().at("/job/image").asString()).isEqualTo("one");
    assertThat(HTTP.send("DELETE", path, null, ONE).status()).isEqualTo(204);
    assertThat(HTTP.get(path, ONE).status()).isEqualTo(404);
  }
}
