package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Model services over HTTP, on the real database and a simulated cluster with a gateway. */
class ServicesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String SERVICES = "/api/v1/projects/default/services/";
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String GOOD = "sim.fairlead.dev/requests: '400'";
  private static final String BAD = GOOD + ", sim.fairlead.dev/error-percent: '10'";

  @BeforeAll
  static void aCluster() {
    String cluster =
        "{name: serving, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: L4}]}";
    assertThat(HTTP.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
  }

  private static Http.Answer put(String name, String more, String run, String annotations) {
    String body =
        "{route: %s.example, stepFor: 2s, steps: [20, 100]%s, job: {image: server, run: %s, gpu: 'L4:1', annotations: {%s}}}"
            .formatted(name, more, run, annotations);
    return HTTP.send("PUT", SERVICES + name, body, "Content-Type", Http.YAML);
  }

  private static JsonNode service(String name) {
    return HTTP.get(SERVICES + name).json();
  }

  private static int weight(JsonNode service, int version) {
    for (JsonNode backend : service.get("backends")) {
      if (backend.get("version").asInt() == version) {
        return backend.get("weight").asInt();
      }
    }
    return 0;
  }

  private static int ready(JsonNode service) {
    int ready = 0;
    for (JsonNode backend : service.get("backends")) {
      ready += backend.get("ready").asInt();
    }
    return ready;
  }

  private static void serves(String name, int version) {
    await().atMost(PATIENCE).until(() -> weight(service(name), version) == 100);
  }

  /** Fails when a bad version keeps its traffic, a good one is not promoted, or jobs remain. */
  @Test
  void aBadVersionIsRolledBackAndAGoodOneIsPromoted() {
    assertThat(put("chat", ", minReplicas: 2", "v1", GOOD).status()).isEqualTo(200);
    serves("chat", 1);
    await().atMost(PATIENCE).until(() -> ready(service("chat")) == 2);

    assertThat(put("chat", ", minReplicas: 2", "v2", BAD).json().get("latestVersion").asInt())
        .isEqualTo(2);
    await()
        .atMost(PATIENCE)
        .until(() -> {
          JsonNode now = service("chat");
          assertThat(ready(now)).isGreaterThanOrEqualTo(2);
          assertThat(weight(now, 2)).isLessThanOrEqualTo(20);
          return now.at("/rollout/phase").asString("").equals("ROLLED_BACK");
        });
    JsonNode back = service("chat");
    assertThat(weight(back, 1)).isEqualTo(100);
    assertThat(back.at("/rollout/reason").asString()).contains("version 2 at 20 %", "bad");

    assertThat(put("chat", ", minReplicas: 2", "v3", GOOD).status()).isEqualTo(200);
    serves("chat", 3);
    String versions = SERVICES + "chat/versions";
    assertThat(HTTP.get(versions + "?pageSize=1").json().at("/items/0/number").asInt())
        .isEqualTo(3);
    assertThat(HTTP.get(versions).json().get("items")).hasSize(3);
    assertThat(HTTP.send("DELETE", versions + "/3", null).code()).isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.send("DELETE", versions + "/2", null).status()).isEqualTo(204);
    assertThat(HTTP.yaml(SERVICES + "chat/rollback", "{version: 2}").status()).isEqualTo(404);

    assertThat(HTTP.yaml(SERVICES + "chat/rollback", "{version: 1}").status()).isEqualTo(200);
    serves("chat", 1);

    assertThat(HTTP.send("DELETE", SERVICES + "chat", null).status()).isEqualTo(204);
    await().atMost(PATIENCE).until(() -> HTTP.get(SERVICES + "chat").status() == 404);
    assertThat(
            HTTP.get("/api/v1/projects/default/jobs?label=service=chat&state=RUNNING")
                .json()
                .get("items"))
        .isEmpty();
  }

  /** Fails when a repeated command skips a second step, or is not audited. */
  @Test
  void stepWithoutTrafficIsSkippedOnce() {
    String quiet = "sim.fairlead.dev/requests: '0'";
    assertThat(put("quiet", "", "v1", quiet).status()).isEqualTo(200);
    serves("quiet", 1);
    assertThat(put("quiet", "", "v2", quiet).status()).isEqualTo(200);
    await()
        .atMost(PATIENCE)
        .until(
            () -> service("quiet").at("/rollout/phase").asString("").equals("WAITING_FOR_TRAFFIC"));

    String skip = SERVICES + "quiet/skip";
    Http.Answer skipped = HTTP.yaml(skip, "{version: 2, share: 20}");
    assertThat(skipped.status()).as(skipped.body()).isEqualTo(200);
    Http.Answer again = HTTP.yaml(skip, "{version: 2, share: 20}");
    assertThat(again.code()).as(again.body()).isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.yaml(skip, "{version: 2, share: 100}").status()).isEqualTo(422);
    serves("quiet", 2);
    assertThat(service("quiet").at("/rollout/phase").asString("")).isNotEqualTo("PROMOTED");
    assertThat(HTTP.get("/api/v1/audit?action=skipModelServiceStep&outcome=ALLOWED").body())
        .contains(skipped.header("X-Request-Id"), "\"share\":20");

    assertThat(HTTP.send("DELETE", SERVICES + "quiet", null).status()).isEqualTo(204);
    await().atMost(PATIENCE).until(() -> HTTP.get(SERVICES + "quiet").status() == 404);
  }

  private static Http.Answer patch(String body) {
    return HTTP.send("PATCH", SERVICES + "load", body, "Content-Type", Http.YAML, "If-Match", "*");
  }

  /** Fails when a merge patch changes other fields, or leaves no spare replica for a rollout. */
  @Test
  void replicasAreScaledWithinTheirBounds() {
    String byLoad = ", minReplicas: 1, scale: {metric: RPS, target: 100}";
    assertThat(put("load", byLoad, "v1", GOOD).status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> service("load").at("/scale/load").asDouble() > 300);
    assertThat(service("load").at("/scale/reason").asString())
        .contains("want 4", "at most 2 by maxReplicas");
    assertThat(service("load").get("wantedReplicas").asInt()).isEqualTo(2);

    Http.Answer more = patch("{maxReplicas: 3}");
    assertThat(more.status()).as(more.body()).isEqualTo(200);
    assertThat(more.json().at("/scale/target").asInt()).isEqualTo(100);
    assertThat(more.json().get("latestVersion").asInt()).isEqualTo(1);
    assertThat(patch("{minReplicas: 3}").body())
        .contains("/maxReplicas", "minReplicas, which is 3");
    assertThat(patch("{route: x.example}").status()).isEqualTo(422);

    assertThat(patch("{scale: null}").json().get("wantedReplicas").asInt()).isEqualTo(1);
    assertThat(HTTP.send("DELETE", SERVICES + "load", null).status()).isEqualTo(204);
  }

  /** Fails when a floor above the fleet's capacity lacks the reason for a missing replica. */
  @Test
  void unplaceableReplicaReportsWhy() {
    assertThat(put("wide", ", minReplicas: 20", "v1", GOOD).status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> HTTP.get(SERVICES + "wide").body().contains("waits: "));
    assertThat(HTTP.send("DELETE", SERVICES + "wide", null).status()).isEqualTo(204);
    await().atMost(PATIENCE).until(() -> HTTP.get(SERVICES + "wide").status() == 404);
  }

  /** Fails when the host name of an archived tenant's service is never released. */
  @Test
  void aServiceOfAnArchivedTenantCanBeDeleted() {
    String[] in = {"Fairlead-Tenant", "services-closed"};
    String[] yaml = {"Content-Type", Http.YAML, in[0], in[1]};
    assertThat(HTTP.yaml("/api/v1/tenants", "{name: services-closed}").status()).isEqualTo(201);
    assertThat(HTTP.yaml("/api/v1/projects", "{name: nlp}", in).status()).isEqualTo(201);
    String path = "/api/v1/projects/nlp/services/chat";
    String body = "{route: closed.example, job: {image: a}}";
    assertThat(HTTP.send("PUT", path, body, yaml).status()).isEqualTo(200);
    Http.Answer archived = HTTP.send("POST", "/api/v1/tenants/services-closed/archive", null, in);
    assertThat(archived.status()).as(archived.body()).isEqualTo(200);

    assertThat(HTTP.send("PUT", path, body, yaml).code()).isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.send("DELETE", path, null, in).status()).isEqualTo(204);
    await().atMost(PATIENCE).until(() -> HTTP.get(path, in).status() == 404);
  }

  @Test
  void implausibleFieldsAreRejected() {
    assertThat(put("x", ", minReplicas: 3, maxReplicas: 3", "v1", "").body())
        .contains("/maxReplicas", "minReplicas, which is 3");
    assertThat(put("x", ", minReplicas: -1", "v1", "").body())
        .contains("/minReplicas", "from 0 to 1000, not -1");
    assertThat(put("x", ", scale: {target: 20}", "v1", "").body()).contains("/scale/metric");
    assertThat(put("x", ", scale: {metric: CPU, target: 0, downAfter: 10s}", "v1", "").body())
        .contains("/scale/metric", "RPS, CONCURRENCY", "/scale/target", "/scale/downAfter");
    assertThat(put("x", ", minReplica: 1", "v1", "").body()).contains("minReplicas");
    String steps = "{route: x.example, steps: [50, 25], job: {image: a}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", steps, "Content-Type", Http.YAML).body())
        .contains("/steps", "ascend to 100");
    String words = "{route: x.example, steps: [half, 100], job: {image: a}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", words, "Content-Type", Http.YAML).body())
        .contains("/steps/0", "from 0 to 100");
    assertThat(put("x", ", mirror: 10", "v1", "").body())
        .contains("/mirror", "needs steps that begin with 0");
    String keys = "{route: x.example, access: KEYS, steps: [0, 100], job: {image: a}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", keys, "Content-Type", Http.YAML).body())
        .contains("/steps", "by weights only");
    assertThat(put("x", ", scale: {metric: QUEUE, target: 4}", "v1", "").body())
        .contains("/scale/metric", "QUEUE needs a runtime with metrics.waiting");
    assertThat(put("x", ", guards: [{metric: 'up{a=\"b\"}', above: 1}]", "v1", "").body())
        .contains("/guards/0/metric", "without labels");
    assertThat(put("x", ", guards: [{metric: up}]", "v1", "").body())
        .contains("/guards", "above, below or both");
    String queue = "{route: x.example, job: {image: a, queue: nowhere}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", queue, "Content-Type", Http.YAML).body())
        .contains("\"/job/queue\"");
    String array = "{route: x.example, job: {image: a, array: 0-3}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", array, "Content-Type", Http.YAML).body())
        .contains("/job", "cannot have array");
    String waits = "{route: x.example, job: {image: a, dependsOn: [prepare]}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", waits, "Content-Type", Http.YAML).body())
        .contains("/job/dependsOn", "must have no dependsOn");
    String idle =
        "{route: x.example, job: {image: a, progress: {timeout: 1h, onTimeout: SUSPEND}}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", idle, "Content-Type", Http.YAML).body())
        .contains("/job", "suspended replica");
    String never = "{route: x.example, slowerThan: 0s, job: {image: a}}";
    assertThat(HTTP.send("PUT", SERVICES + "x", never, "Content-Type", Http.YAML).body())
        .contains("slowerThan must be from 1ms to 1h");
    assertThat(put("x", "", "v1", "sim.fairlead.dev/error-percent: '101'").status()).isEqualTo(422);
    assertThat(put("a-name-of-more-than-24-chars", "", "v1", "").code())
        .isEqualTo("INVALID_PARAMETER");
    assertThat(HTTP.get(SERVICES + "nothing").status()).isEqualTo(404);
    assertThat(HTTP.yaml(SERVICES + "nothing/promote", "{version: 2}").status()).isEqualTo(404);
    assertThat(HTTP.send("DELETE", SERVICES + "nothing", null).status()).isEqualTo(404);

    assertThat(put("first", "", "v1", "").status()).isEqualTo(200);
    String taken = "{route: first.example, job: {image: a}}";
    assertThat(HTTP.send("PUT", SERVICES + "second", taken, "Content-Type", Http.YAML).code())
        .isEqualTo("NAME_IN_USE");
    assertThat(HTTP.yaml(SERVICES + "first/abort", "{version: 2}").code())
        .isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.yaml(SERVICES + "first/promote", "{}").body()).contains("/version");
    assertThat(HTTP.yaml(SERVICES + "first/rollback", "{version: 9}").body())
        .contains("no version 9");
    assertThat(HTTP.send("DELETE", SERVICES + "first/versions/1", null).code())
        .isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.send("DELETE", SERVICES + "first", null).status()).isEqualTo(204);
  }

  private static Http.Answer tried(String body) {
    return HTTP.send("PUT", SERVICES + "model?validateOnly=true", body, "Content-Type", Http.YAML);
  }

  /**
   * Fails when a field of the runtime does not reach the replicas, or a wrong field is accepted.
   */
  @Test
  void aRuntimeFillsTheJobOfItsService() {
    String model = "{route: model.example, runtime: vllm, model: {uri: 'hf://Qwen/Qwen3-8B'}, ";
    assertThat(HTTP.get("/api/v1/runtimes").json().get("items").valueStream())
        .extracting(runtime -> runtime.get("name").asString())
        .contains("vllm");
    Http.Answer put =
        HTTP.send(
            "PUT",
            SERVICES + "model",
            model + "scale: {target: 8}, job: {args: [--max-model-len, '8192'], gpu: 'L4:1'}}",
            "Content-Type",
            Http.YAML);
    assertThat(put.status()).as(put.body()).isEqualTo(200);
    assertThat(put.json().at("/scale/metric").asString()).isEqualTo("CONCURRENCY");
    JsonNode version = HTTP.get(SERVICES + "model/versions").json().at("/items/0");
    assertThat(version.get("command").toString())
        .isEqualTo(
            "[\"vllm\",\"serve\",\"Qwen/Qwen3-8B\",\"--host\",\"0.0.0.0\",\"--port\",\"8000\","
                + "\"--served-model-name\",\"model\",\"--max-model-len\",\"8192\"]");
    assertThat(version.get("model").asString()).isEqualTo("hf://Qwen/Qwen3-8B");
    assertThat(version.get("readyPath").asString()).isEqualTo("/health");
    assertThat(HTTP.send("DELETE", SERVICES + "model", null).status()).isEqualTo(204);

    assertThat(tried(model.replace("vllm", "vlm") + "job: {}}").body())
        .contains("/runtime", "custom, llama-cpp", "vlm");
    assertThat(tried(model.replace("hf:", "gs:") + "job: {}}").body())
        .contains("/model/uri", "must begin with hf://, https://, oci://, s3://, volume://");
    assertThat(tried(model.replace("vllm", "mlserver") + "job: {}}").body())
        .contains("/model/uri", "runtime mlserver cannot read hf://");
    assertThat(tried(model + "job: {run: serve}}").body()).contains("/job/run", "runtime vllm");
    assertThat(tried(model.replace("runtime: vllm, ", "") + "job: {image: server}}").body())
        .contains("/model", "model needs runtime");
  }
}
