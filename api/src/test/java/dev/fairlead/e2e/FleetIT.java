package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Views and changes of nodes, GPUs and clusters by an operator, on a simulated cluster. */
class FleetIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String CLUSTER = "/api/v1/clusters/fleet-it";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aSimulatedCluster() {
    Http.Answer answer =
        HTTP.yaml(
            "/api/v1/clusters",
            "{name: fleet-it, kind: SIMULATED, fleet: [{nodes: 3, gpusPerNode: 2, model: A10}]}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    await().atMost(PATIENCE).until(() -> names("").size() == 3);
  }

  private static List<String> names(String filter) {
    JsonNode page = HTTP.get("/api/v1/nodes?cluster=fleet-it" + filter).json();
    return page.get("items").valueStream().map(n -> n.get("name").asString()).toList();
  }

  private static String state(String path) {
    return HTTP.get(path).json().path("state").asString("");
  }

  private static String running(String name, String more) {
    Http.Answer answer =
        HTTP.yaml(
            "/api/v1/projects/default/jobs",
            "{name: %s, image: x, gpu: 2, placement: {clusters: [fleet-it]}, annotations: {sim.fairlead.dev/run-for: 1h}%s}"
                .formatted(name, more));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();
    await().atMost(PATIENCE).until(() -> state(job).equals("RUNNING"));
    return job;
  }

  private static String node(String job) {
    return HTTP.get(job).json().at("/placement/nodes/0").asString();
  }

  private static void end(String job) {
    HTTP.json(job + "/cancel", "");
    await().atMost(PATIENCE).until(() -> state(job).equals("CANCELLED"));
  }

  /** Fails when a user cannot list the GPU models that Fairlead knows, and their partitions. */
  @Test
  void gpuModelsAreListedWithMemoryAndProfiles() {
    Http.Answer answer = HTTP.get("/api/v1/gpu-models");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().get("items").toString())
        .contains("\"name\":\"H100\"", "\"memory\":\"81559Mi\"", "\"1g.10gb\"");
  }

  /** Fails when a job that requests an unknown model waits forever. */
  @Test
  void unknownGpuModelIsRejectedWithTheKnownOnes() {
    String jobs = "/api/v1/projects/default/jobs?validateOnly=true";
    await().atMost(PATIENCE).until(() -> !names("").isEmpty());
    // if the fleet cannot be read within a quarter of a second, nothing is refused
    await().atMost(PATIENCE).until(() -> HTTP.yaml(jobs, "{image: x, gpu: foo}").status() == 422);
    Http.Answer unknown = HTTP.yaml(jobs, "{image: x, gpu: foo}");

    assertThat(unknown.status()).as(unknown.body()).isEqualTo(422);
    assertThat(unknown.json().at("/errors/0/pointer").asString()).isEqualTo("/gpu");
    assertThat(unknown.json().at("/errors/0/detail").asString())
        .contains("\"foo\"", "Models here: ")
        .contains("A10");
    assertThat(HTTP.yaml(jobs, "{image: x, gpu: h100}").json().at("/spec/gpu").toString())
        .contains("H100");
    Http.Answer later = HTTP.yaml(jobs, "{image: x, gpu: B200:8}");
    assertThat(later.status()).as("a cluster may bring it").isEqualTo(201);
    assertThat(later.json().get("warnings")).isNotEmpty();
  }

  @Test
  void everyGpuShowsItsHolder() {
    String job = running("held", "");
    String gpus = "/api/v1/gpus?cluster=fleet-it&node=" + node(job);
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(gpus).json().at("/items/0/allocated").asInt() == 1);
    JsonNode first = HTTP.get(gpus).json().at("/items/0");

    assertThat(first.get("serial").asString()).startsWith("GPU-");
    assertThat(first.at("/holders/0/name").asString()).isEqualTo("held");
    assertThat(first.at("/holders/0/member").asString()).isEqualTo("worker-0");
    assertThat(first.get("others").asInt()).isZero();
    Http.Answer page = HTTP.get("/api/v1/gpus?cluster=fleet-it&pageSize=4");
    assertThat(page.json().get("items")).hasSize(4);
    String next = page.header("Link").replaceAll("^<|>.*$", "");
    assertThat(HTTP.get(next).json().get("items")).hasSize(2);
    String serial = HTTP.get("/api/v1/gpus?pageSize=1").json().at("/items/0/serial").asString();
    assertThat(HTTP.get("/api/v1/gpus?serial=" + serial).json().at("/items").size())
        .as("fails when the serial number is no filter")
        .isEqualTo(1);
    assertThat(HTTP.get("/api/v1/gpus?serial=none-such").json().at("/items").size()).isZero();
    assertThat(HTTP.get("/api/v1/gpus?gpuState=BROKEN").code()).isEqualTo("INVALID_PARAMETER");
    end(job);
  }

  @Test
  void drainIsAnOperationThatCanBeFollowedListedAndCancelled() {
    String firm = running("firm", ", priorityClass: high");
    String node = "/api/v1/nodes/" + node(firm);
    Http.Answer asked = HTTP.json(node + "/drain?validateOnly=true", "");
    assertThat(asked.status()).isEqualTo(202);
    assertThat(state(node)).isEqualTo("ACTIVE");

    Http.Answer begun = HTTP.json(node + "/drain", "");
    assertThat(begun.status()).isEqualTo(202);
    String operation = begun.header("Location");
    assertThat(HTTP.json(node + "/drain", "").header("Location")).isEqualTo(operation);
    Http.Answer due = HTTP.json(node + "/drain?deadline=2h&atDeadline=STOP", "");
    assertThat(due.header("Location")).isEqualTo(operation);
    assertThat(due.json().get("atDeadline").asString()).isEqualTo("STOP");
    assertThat(HTTP.json(node + "/drain?deadline=2020-01-01T00:00:00Z", "").code())
        .isEqualTo("INVALID_PARAMETER");
    assertThat(HTTP.json(node + "/drain?atDeadline=STOP", "").code())
        .isEqualTo("INVALID_PARAMETER");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(operation).json().at("/metadata/left").asInt() == 1);
    assertThat(HTTP.get("/api/v1/operations").json().at("/items/0/id").asString())
        .isEqualTo(begun.json().get("id").asString());
    assertThat(names("&nodeState=DRAINING")).containsExactly(node(firm));

    assertThat(HTTP.json(operation + "/cancel", "").json().path("state").asString(""))
        .isEqualTo("CANCELLED");
    assertThat(HTTP.json(operation + "/cancel", "").code()).isEqualTo("ILLEGAL_STATE");
    assertThat(state(node)).isEqualTo("CORDONED");
    HTTP.json(node + "/uncordon", "");
    await().atMost(PATIENCE).until(() -> state(node).equals("ACTIVE"));
    end(firm);
  }

  @Test
  void clusterStateChangesRequireTheCurrentVersion() {
    String body = "{\"state\": \"DRAINING\"}";
    String json = "application/json";

    assertThat(patch(body, json, null).code()).isEqualTo("PRECONDITION_REQUIRED");
    assertThat(patch(body, json, "\"1\"").code()).isEqualTo("VERSION_MISMATCH");
    assertThat(answered("{\"state\": \"UNREACHABLE\"}").code()).isEqualTo("INVALID_FIELD");
    assertThat(answered("{\"name\": \"x\"}").status()).isEqualTo(422);
    assertThat(patched(body).get("state").asString()).isEqualTo("DRAINING");
    assertThat(HTTP.json(CLUSTER + "/uncordon", "").json().path("state").asString(""))
        .isEqualTo("ACTIVE");
  }

  @Test
  void clusterPatchChangesOnlyTheGivenFields() {
    patched("{\"capacityType\": \"SPOT\", \"pricePerGpuHour\": {\"A10\": 1.25, \"H100\": 3}}");
    JsonNode after = patched("{\"pricePerGpuHour\": {\"H100\": null}}");
    assertThat(after.get("pricePerGpuHour").toString()).isEqualTo("{\"A10\":1.25}");
    assertThat(after.get("capacityType").asString()).isEqualTo("SPOT");
    // capacity is at most two seconds old
    await()
        .atMost(PATIENCE)
        .until(() -> capacity("fleet-it").path("capacityType").asString("").equals("SPOT"));
    assertThat(patched("{\"scoring\": \"SPREAD\"}").get("scoring").asString()).isEqualTo("SPREAD");
    // fails when a patch of another field drops this one
    assertThat(patched("{\"capacityType\": \"ON_DEMAND\"}").get("scoring").asString())
        .isEqualTo("SPREAD");
    assertThat(patched("{\"scoring\": null}").get("scoring").asString()).isEqualTo("DEFAULT");
    assertThat(patched("{\"capacityType\": null}").get("capacityType").asString())
        .isEqualTo("RESERVED");
    assertThat(patched("{\"consolidation\": \"WHEN_IT_PAYS\"}").get("scoring").asString())
        .isEqualTo("DEFAULT");
    assertThat(patched("{\"scoring\": \"BEST_FIT\"}").get("consolidation").asString())
        .isEqualTo("WHEN_IT_PAYS");
    assertThat(patched("{\"consolidation\": null}").get("consolidation").asString())
        .isEqualTo("NEVER");
    assertThat(
            patched("{\"nodeLabelsAndTaints\": \"POOL_AND_QUARANTINE\"}").get("scoring").asString())
        .isEqualTo("BEST_FIT");
    assertThat(patched("{\"capacityType\": null}").get("nodeLabelsAndTaints").asString())
        .isEqualTo("POOL_AND_QUARANTINE");
    assertThat(patched("{\"nodeLabelsAndTaints\": null}").get("nodeLabelsAndTaints").asString())
        .isEqualTo("NEVER");
    patched("{\"window\": {\"from\": \"2026-01-01T00:00:00Z\"}}");
    assertThat(
            patched("{\"window\": {\"until\": \"2126-01-01T00:00:00Z\"}}").get("window").toString())
        .isEqualTo("{\"from\":\"2026-01-01T00:00:00Z\",\"until\":\"2126-01-01T00:00:00Z\"}");
    assertThat(patched("{\"window\": null}").get("window").isNull()).isTrue();
    for (String refused :
        List.of(
            "{\"pinning\": \"SCHEDULER\"}",
            "{\"kubeconfig\": \"x\"}",
            "{\"kind\": \"KUBERNETES\"}",
            "{\"pricePerGpuHour\": {\"A10\": -1}}",
            "{\"trouble\": \"none\"}")) {
      Http.Answer answer = answered(refused);
      assertThat(answer.status()).as(refused + " " + answer.body()).isEqualTo(422);
    }
  }

  @Test
  void capacityReturnsTheLargestGangPerLevelAndMeReturnsTheCaller() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: capacity-it, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 2, model: A30,"
            + " blocks: 2, racksPerBlock: 1}]}");
    await().atMost(PATIENCE).until(() -> capacity("capacity-it").path("free").asInt() == 8);

    assertThat(capacity("capacity-it").get("largestGang").valueStream())
        .extracting(gang -> gang.get("level").asString() + " " + gang.get("gpus").asInt())
        .contains("zone 8", "block 4", "rack 4", "host 2");
    assertThat(HTTP.get("/api/v1/me").json().toString())
        .isEqualTo(
            "{\"user\":\"local\",\"tenant\":\"default\",\"administrator\":true,\"roles\":[\"admin\"],"
                + "\"tokenExpiresAt\":null,\"allowed\":null}");
    assertThat(HTTP.get("/api/v1/version").json().at("/apiVersions/0").asString()).isEqualTo("v1");
  }

  private static JsonNode capacity(String cluster) {
    return HTTP.get("/api/v1/capacity")
        .json()
        .get("items")
        .valueStream()
        .filter(item -> item.get("cluster").asString().equals(cluster))
        .findFirst()
        .orElse(tools.jackson.databind.node.MissingNode.getInstance());
  }

  /** The supervisor may write to the node between this read and the patch. */
  private static Http.Answer answered(String body) {
    AtomicReference<Http.Answer> answer = new AtomicReference<>();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          answer.set(patch(body, "application/json", HTTP.get(CLUSTER).header("ETag")));
          return answer.get().status() != 412;
        });
    return answer.get();
  }

  private static JsonNode patched(String body) {
    Http.Answer answer = answered(body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  @Test
  void memberConfirmationIsAcceptedOnlyWithoutOtherEvidence() {
    String job = running("seen", "");
    String attempt = HTTP.get(job + "/attempts").json().at("/items/0/id").asString();
    String path = "/api/v1/attempts/" + attempt + "/confirm-dead";
    String word = "{\"members\": [\"worker-0\"], \"reason\": \"the machine was scrapped\"}";
    assertThat(HTTP.json(path, word).code()).isEqualTo("ILLEGAL_STATE");
    assertThat(HTTP.json(path, "{\"members\": [\"worker-7\"], \"reason\": \"x\"}").body())
        .contains("no member worker-7", "worker-0");
    assertThat(HTTP.json(path, "{\"members\": []}").json().get("errors")).hasSize(2);
    String nowhere = "/api/v1/attempts/att_01m7vxn2c4e0mtrw2g5kqy8v3d/confirm-dead";
    assertThat(HTTP.json(nowhere, word).status()).isEqualTo(404);
    assertThat(state(job)).isEqualTo("RUNNING");
    end(job);
  }

  private static Http.Answer patch(String body, String type, @Nullable String tag) {
    return tag == null
        ? HTTP.send("PATCH", CLUSTER, body, "Content-Type", type)
        : HTTP.send("PATCH", CLUSTER, body, "Content-Type", type, "If-Match", tag);
  }

  /**
   * Fails when a typo stays in the list forever, or when a cluster is deleted with its workloads.
   */
  @Test
  void emptyClusterIsRemovedAndItsHistoryRetainsItsName() {
    String path = "/api/v1/clusters/short-lived";
    String fleet =
        "{name: short-lived, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 2, model: A10}]}";
    Http.Answer registered = HTTP.yaml("/api/v1/clusters", fleet);
    assertThat(registered.status()).isEqualTo(201);
    // Fails when the response has nanoseconds that the database does not store.
    assertThat(registered.json().get("createdAt"))
        .isEqualTo(HTTP.get(path).json().get("createdAt"));
    Http.Answer submitted =
        HTTP.yaml(
            "/api/v1/projects/default/jobs",
            "{name: lived-there, image: x, placement: {clusters: [short-lived]}, annotations:"
                + " {sim.fairlead.dev/run-for: 1h}}");
    String job = "/api/v1/jobs/" + submitted.json().get("id").asString();
    await().atMost(PATIENCE).until(() -> state(job).equals("RUNNING"));
    assertThat(HTTP.send("DELETE", path, null).code()).isEqualTo("PRECONDITION_REQUIRED");

    Http.Answer refused = HTTP.send("DELETE", path, null, "If-Match", "*");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.json().get("errors").valueStream())
        .extracting(e -> e.get("pointer").asString())
        .containsExactly("/state", "/attempts", "/jobs");
    end(job);
    String json = "application/json";
    HTTP.send("PATCH", path, "{\"state\": \"DISABLED\"}", "Content-Type", json, "If-Match", "*");
    Http.Answer trial = HTTP.send("DELETE", path + "?validateOnly=true", null, "If-Match", "*");
    assertThat(trial.status()).as(trial.body()).isEqualTo(200);
    assertThat(HTTP.get(path).status()).isEqualTo(200);
    Http.Answer removed = HTTP.send("DELETE", path, null, "If-Match", "*");
    assertThat(removed.json().get("gpus").asInt()).isEqualTo(2);
    assertThat(HTTP.get(path).status()).isEqualTo(404);
    assertThat(HTTP.get(job + "/attempts").json().at("/items/0/cluster").asString())
        .isEqualTo("short-lived");
    assertThat(HTTP.yaml("/api/v1/clusters", fleet).status()).as("the name is free").isEqualTo(201);
  }

  /** Fails when a failover test changes its subject, or omits running attempts. */
  @Test
  void failoverTestShowsTheEffectOfAClusterLossAndChangesNothing() {
    String job = running("moved", "");

    JsonNode test = HTTP.get(CLUSTER + "/failover-test").json();

    JsonNode loss =
        test.get("items")
            .valueStream()
            .filter(item -> item.get("name").asString().equals("moved"))
            .findFirst()
            .orElseThrow();
    assertThat(loss.get("gpus").asInt()).isEqualTo(2);
    assertThat(loss.get("onUnreachable").asString()).isEqualTo("WAIT");
    assertThat(loss.get("outcome").asString()).as("it names this cluster alone").isEqualTo("WAITS");
    assertThat(loss.get("message").asString()).contains("fleet-it");
    assertThat(test.at("/lost/attempts").asInt()).isEqualTo(test.get("items").size());
    assertThat(state(job)).isEqualTo("RUNNING");
    assertThat(state(CLUSTER)).isEqualTo("ACTIVE");
    assertThat(HTTP.get("/api/v1/clusters/nowhere/failover-test").status()).isEqualTo(404);
    end(job);
  }

  @Test
  void unknownResourcesReturnNotFound() {
    for (String path :
        List.of(
            "/api/v1/nodes/nowhere/cordon",
            "/api/v1/nodes/nowhere/drain",
            "/api/v1/clusters/nowhere/drain",
            "/api/v1/operations/opr_01m7vxn2c4e0mtrw2g5kqy8v3d/cancel")) {
      assertThat(HTTP.json(path, "").status()).as(path).isEqualTo(404);
    }
    assertThat(HTTP.get("/api/v1/nodes/nod_01m7vxn2c4e0mtrw2g5kqy8v3d").status()).isEqualTo(404);
    assertThat(HTTP.get("/api/v1/operations/1").status()).isEqualTo(404);
  }
}
