package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.figures.Figure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** One effect per key, no overwritten change, and registrations that open no file. */
class WritesIT {
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String SIMULATED =
      "{\"name\": \"%s\", \"kind\": \"SIMULATED\", \"fleet\": [{\"nodes\": 1,"
          + " \"gpusPerNode\": 8, \"model\": \"H100\", \"blocks\": 1, \"racksPerBlock\": 1}]}";
  private static final String RUNS =
      "{\"image\": \"x\", \"gpu\": 1, \"placement\": {\"clusters\": [\"%s\"]},"
          + " \"preemption\": {\"gracePeriod\": \"1s\"},"
          + " \"annotations\": {\"sim.fairlead.dev/run-for\": \"1h\"}}";
  private static final String DEAD =
      "{\"members\": [\"worker-0\"], \"reason\": \"the machine was scrapped\"}";
  private static final String NOWHERE = "placement: {clusters: [nowhere]}";
  private final Http http = RunningFairlead.shared().http();

  @Test
  void repeatedKeyReturnsTheSameJobAndAnotherBodyIsRejected() {
    String spec = "{image: x, " + NOWHERE + "}";
    Http.Answer first = http.yaml(JOBS, spec, "Idempotency-Key", "key-1");
    Http.Answer again = http.yaml(JOBS, spec, "Idempotency-Key", "key-1");
    Http.Answer other = http.yaml(JOBS, spec + " ", "Idempotency-Key", "key-1");

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.header("Location"))
        .isEqualTo("/api/v1/jobs/" + first.json().get("id").asString());
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.json().get("id")).isEqualTo(first.json().get("id"));
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void repeatedBatchReturnsTheSameJobs() {
    String batch = "{\"items\":[{\"image\":\"x\"},{\"image\":\"x\",\"queue\":\"nowhere\"}]}";
    Http.Answer first = http.json(JOBS + "/batch", batch, "Idempotency-Key", "batch-1");
    Http.Answer again = http.json(JOBS + "/batch", batch, "Idempotency-Key", "batch-1");

    assertThat(again.json().at("/items/0/job/id")).isEqualTo(first.json().at("/items/0/job/id"));
    assertThat(again.json().at("/items/1/job").isNull()).isTrue();
  }

  @Test
  void idempotencyKeysHaveOneTo255PrintableCharacters() {
    assertThat(http.yaml(JOBS, "{image: x}", "Idempotency-Key", "k".repeat(256)).status())
        .isEqualTo(400);
    assertThat(
            http.yaml(JOBS + "?validateOnly=true", "{image: x}", "Idempotency-Key", "k".repeat(255))
                .status())
        .isEqualTo(201);
  }

  @Tag(Figure.TAG)
  @Test
  void concurrentCreatesWithOneKeyYieldOneJob() throws Exception {
    int trials = Figure.times(1, 10_000);
    int threads = Figure.asked() ? 100 : 8;
    for (int trial = 0; trial < trials; trial++) {
      oneJobOfOneKey("race-" + trial, threads);
    }
    Figure.seen("G12", threads + " at once with one key made one job, " + trials + " times");
  }

  private void oneJobOfOneKey(String key, int threads) throws Exception {
    List<Http.Answer> answers =
        atOnce(
            threads,
            () ->
                http.yaml(
                    JOBS,
                    "{name: " + key + ", image: x, " + NOWHERE + "}",
                    "Idempotency-Key",
                    key));

    assertThat(answers).allSatisfy(a -> assertThat(a.status()).isIn(201, 409));
    assertThat(answers.stream().filter(a -> a.status() == 409))
        .allSatisfy(a -> {
          assertThat(a.code()).isEqualTo("IDEMPOTENCY_IN_FLIGHT");
          assertThat(a.header("Retry-After")).isEqualTo("1");
        });
    assertThat(http.get("/api/v1/jobs?name=" + key).json().get("items")).hasSize(1);
  }

  @Tag(Figure.TAG)
  @Test
  void everyOperationWithAKeyHasOneEffect() throws Exception {
    // Fails when a key is not held from before the effect until its result is stored.
    int trials = Figure.times(1, 1_000);
    int threads = Figure.asked() ? 100 : 8;
    for (int trial = 0; trial < trials; trial++) {
      String name = "keyed-" + trial;
      once(threads, JOBS + "/batch", batch(name));
      assertThat(labelled(name)).hasSize(3);
      String job = "/api/v1/jobs/" + labelled(name).get(0).get("id").asString();
      int version = http.get(job).json().get("version").asInt();
      once(threads, job + "/suspend", "");
      once(threads, job + "/resume", "");
      assertThat(http.get(job).json().get("version").asInt()).isEqualTo(version + 2);
      once(
          threads,
          "/api/v1/jobs/bulk-cancel",
          "{\"filter\": {\"labels\": {\"race\": \"" + name + "\"}}, \"expectedCount\": 3}");
      assertThat(http.get(job).json().get("version").asInt()).isEqualTo(version + 3);
      once(threads, "/api/v1/projects", "{\"name\": \"" + name + "\"}");
      once(threads, "/api/v1/quotas", "{\"name\": \"" + name + "\", \"parent\": \"root\"}");
    }
    Figure.seen("G12", threads + " at once with one key, 6 operations, " + trials + " times");
  }

  /** Fails when an operation takes effect before it claims its idempotency key. */
  @Tag(Figure.TAG)
  @Test
  void everyKeyedOperationOnRunningWorkHasOneEffect() throws Exception {
    int trials = Figure.times(1, 20);
    int threads = Figure.asked() ? 100 : 8;
    for (int trial = 0; trial < trials; trial++) {
      String cluster = "keyed-cluster-" + trial;
      once(threads, "/api/v1/clusters", SIMULATED.formatted(cluster));
      String id = http.json(JOBS, RUNS.formatted(cluster)).json().get("id").asString();
      String job = "/api/v1/jobs/" + id;
      runs(job, 1);
      long version = version(job);
      once(threads, job + "/checkpoint", "");
      assertThat(version(job)).isEqualTo(version + 1);

      once(threads, job + "/requeue", "");
      runs(job, 2);

      noLongerSupervised(cluster);
      http.json(job + "/suspend", "");
      JsonNode last = http.get(job + "/attempts").json().get("items").get(1);
      String word = "/api/v1/attempts/" + last.get("id").asString() + "/confirm-dead";
      await()
          .atMost(PATIENCE)
          .until(() -> http.json(word + "?validateOnly=true", DEAD).status() == 200);
      version = version(job);
      once(threads, word, DEAD);
      assertThat(version(job)).isEqualTo(version + 1);
    }
    Figure.seen("G12", threads + " at once with one key, 4 more operations, " + trials + " times");
  }

  private void runs(String job, int attempt) {
    await()
        .atMost(PATIENCE)
        .until(() -> {
          JsonNode now = http.get(job).json();
          return now.path("state").asString("").equals("RUNNING")
              && now.get("attempt").asInt() == attempt;
        });
  }

  private long version(String job) {
    return http.get(job).json().get("version").asLong();
  }

  /** No process sends stops to the cluster, so only a confirmation ends its work. */
  private void noLongerSupervised(String cluster) {
    String path = "/api/v1/clusters/" + cluster;
    String disabled = "{\"state\": \"DISABLED\"}";
    String json = "application/json";
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.send("PATCH", path, disabled, "Content-Type", json, "If-Match", "*").status()
                == 200);
    RunningFairlead.shared().leavesAlone(cluster);
  }

  /** Two jobs without a name; only the key prevents duplicates. */
  private static String batch(String name) {
    String item =
        "{\"image\":\"x\",\"labels\":{\"race\":\"%s\"},\"placement\":{\"clusters\":[\"nowhere\"]}}";
    String unnamed = item.formatted(name);
    String named = unnamed.replace("{\"image\"", "{\"name\":\"" + name + "\",\"image\"");
    return "{\"items\":[" + unnamed + "," + named + "," + unnamed + "]}";
  }

  private JsonNode labelled(String name) {
    return http.get("/api/v1/jobs?label=race%3D" + name).json().get("items");
  }

  /**
   * Every response is the result of the single effect, or reports that the request is in progress.
   */
  private void once(int threads, String path, String body) throws Exception {
    String key = "once-" + path + body.hashCode();
    List<Http.Answer> answers =
        atOnce(threads, () -> http.json(path, body, "Idempotency-Key", key));

    assertThat(answers)
        .allSatisfy(answer ->
            assertThat(answer.status() / 100 == 2 ? "one effect" : answer.code())
                .as(answer.body())
                .isIn("one effect", "IDEMPOTENCY_IN_FLIGHT"));
    assertThat(answers).anySatisfy(answer -> assertThat(answer.status() / 100).isEqualTo(2));
  }

  @Test
  void concurrentCreatesWithOneNameYieldOneJob() throws Exception {
    List<Http.Answer> answers =
        atOnce(16, () -> http.yaml(JOBS, "{name: race-name, image: x, " + NOWHERE + "}"));

    assertThat(answers.stream().filter(a -> a.status() == 201)).hasSize(1);
    assertThat(answers.stream().filter(a -> a.status() != 201))
        .allSatisfy(a -> assertThat(a.code()).isEqualTo("NAME_IN_USE"));
  }

  private static List<Http.Answer> atOnce(int times, Callable<Http.Answer> call) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Http.Answer>> running =
          callers.invokeAll(
              Collections.nCopies(times, (Callable<Http.Answer>) () -> Http.repeated(call)));
      List<Http.Answer> answers = new java.util.ArrayList<>();
      for (Future<Http.Answer> answer : running) {
        answers.add(answer.get());
      }
      return answers;
    }
  }

  @Test
  void quotaUpdateRequiresItsNewestVersion() {
    http.yaml(
        "/api/v1/quotas",
        "{name: team-a, parent: root, queue: {}, limits: [{flavor: H100/RESERVED, resource: gpu,"
            + " nominal: 8}]}");
    String tag = http.get("/api/v1/quotas/team-a").header("ETag");
    String patch =
        "{\"weight\":2.5,\"limits\":[{\"flavor\":\"H100/RESERVED\",\"resource\":\"gpu\",\"nominal\":16}]}";

    assertThat(patch("team-a", patch).status()).isEqualTo(428);
    assertThat(patch("team-a", patch, "If-Match", "W/" + tag).status()).isEqualTo(412);
    Http.Answer changed = patch("team-a", patch, "If-Match", tag);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().get("weight").asDouble()).isEqualTo(2.5);
    assertThat(changed.json().at("/limits/0/nominal").asInt()).isEqualTo(16);
    assertThat(changed.json().at("/queue/state").asString()).isEqualTo("ACTIVE");
    assertThat(changed.header("ETag")).isNotEqualTo(tag);
    assertThat(patch("team-a", patch, "If-Match", tag).code()).isEqualTo("VERSION_MISMATCH");
    assertThat(patch("team-a", "{\"name\":\"b\"}", "If-Match", changed.header("ETag")).status())
        .isEqualTo(422);
    assertThat(http.send("DELETE", "/api/v1/quotas/team-a", null, "If-Match", tag).status())
        .isEqualTo(412);
    assertThat(
            http.send("DELETE", "/api/v1/quotas/team-a", null, "If-Match", changed.header("ETag"))
                .status())
        .isEqualTo(204);
    assertThat(http.get("/api/v1/quotas/team-a").status()).isEqualTo(404);
  }

  @Test
  void queueIsUpdatedAtItsPathAndADrainingQueueAcceptsNoJobs() {
    http.yaml("/api/v1/quotas", "{name: night, parent: root, queue: {}}");
    String tag = http.get("/api/v1/queues/night").header("ETag");

    Http.Answer changed =
        http.send(
            "PATCH",
            "/api/v1/queues/night",
            "{\"queue\": {\"state\": \"DRAINING\", \"fairByUser\": true}, \"usageHalfLife\":"
                + " \"7d\"}",
            "Content-Type",
            "application/merge-patch+json",
            "If-Match",
            tag);

    assertThat(changed.json().at("/queue/state").asString()).isEqualTo("DRAINING");
    assertThat(changed.json().at("/queue/fairByUser").asBoolean()).isTrue();
    assertThat(http.get("/api/v1/queues/night").json().get("usageHalfLife").asString())
        .isEqualTo("7d");
    assertThat(http.get("/api/v1/queues/root").status()).isEqualTo(404);
    assertThat(http.yaml("/api/v1/projects/default/jobs", "{image: x, queue: night}").body())
        .contains("Queue night is draining");
  }

  @Test
  void queueStoresItsFlavorFallbackAndItsBorrowingPreemption() {
    http.yaml(
        "/api/v1/quotas",
        "{name: fallback, parent: root, sharePolicy: PRIORITY,"
            + " preemption: {reclaim: ANY, whileBorrowing: LOWER_PRIORITY, maxVictimPriority: 100},"
            + " queue: {flavorFallback: {whenCanPreempt: PREEMPT}}}");

    Http.Answer read = http.get("/api/v1/queues/fallback");

    assertThat(read.json().at("/preemption/whileBorrowing").asString()).isEqualTo("LOWER_PRIORITY");
    assertThat(read.json().at("/preemption/maxVictimPriority").asInt()).isEqualTo(100);
    assertThat(read.json().at("/queue/flavorFallback/whenCanPreempt").asString())
        .isEqualTo("PREEMPT");
    assertThat(read.json().at("/queue/flavorFallback/whenCanBorrow").asString())
        .isEqualTo("BORROW");
    assertThat(read.json().at("/sharePolicy").asString()).isEqualTo("PRIORITY");
  }

  private Http.Answer patch(String quota, String body, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "Content-Type";
    all[1] = "application/merge-patch+json";
    System.arraycopy(headers, 0, all, 2, headers.length);
    return http.send("PATCH", "/api/v1/quotas/" + quota, body, all);
  }

  @Test
  void usedQueueCannotBeDeleted() {
    String tag = http.get("/api/v1/quotas/default").header("ETag");

    assertThat(http.send("DELETE", "/api/v1/quotas/default", null, "If-Match", tag).code())
        .isEqualTo("IN_USE");
  }

  @Test
  void inconsistentQuotasAreRejected() {
    assertThat(http.yaml("/api/v1/quotas", "{name: q, parent: default}").code())
        .isEqualTo("INVALID_FIELD");
    assertThat(http.yaml("/api/v1/quotas", "{name: root}").code()).isEqualTo("NAME_IN_USE");
    assertThat(
            http.yaml(
                    "/api/v1/quotas",
                    "{name: q, limits: [{flavor: H100, resource: gpus, nominal: -1}]}")
                .json()
                .get("errors"))
        .hasSize(2);
    // Fails when QuotaRequest accepts rules that have no effect.
    for (String rules :
        List.of(
            "{whileBorrowing: LOWER_PRIORITY}",
            "{whileBorrowing: LOWER_PRIORITY, reclaim: ANY, fairShare: true}",
            "{reclaim: ANY, maxVictimPriority: 100}")) {
      assertThat(http.yaml("/api/v1/quotas", "{name: q, preemption: " + rules + "}").code())
          .isEqualTo("CONFLICTING_FIELDS");
    }
    assertThat(
            http.yaml("/api/v1/quotas", "{name: q, sharePolicy: PRIORITY, usageHalfLife: 7d}")
                .body())
        .contains("CONFLICTING_FIELDS", "Remove usageHalfLife");
    assertThat(http.get("/api/v1/quotas/q").status()).isEqualTo(404);
  }

  @Test
  void kubeconfigWithAnExecPluginIsRejectedAndRunsNothing(@TempDir Path folder) {
    Path trace = folder.resolve("ran");
    String kubeconfig =
        """
        apiVersion: v1
        kind: Config
        current-context: a
        contexts: [{name: a, context: {cluster: a, user: a}}]
        clusters: [{name: a, cluster: {server: 'https://192.0.2.1:6443', certificate-authority: %s}}]
        users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [%s]}}}]
        """
            .formatted(folder.resolve("ca.pem"), trace);

    Http.Answer answer =
        http.yaml("/api/v1/clusters", "name: hostile\nkubeconfig: |\n" + kubeconfig.indent(2));

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.code()).isEqualTo("UNSAFE_KUBECONFIG");
    assertThat(answer.json().at("/errors/0/pointer").asString()).startsWith("/kubeconfig/");
    assertThat(Files.exists(trace)).isFalse();
    assertThat(http.get("/api/v1/clusters/hostile").status()).isEqualTo(404);
  }

  @Test
  void connectionInPartsIsValidatedLikeAKubeconfig() {
    Http.Answer answer =
        http.yaml(
            "/api/v1/clusters",
            "{name: inside, connection: {server: 'https://169.254.169.254', caData: eA==, token:"
                + " very-secret}}");

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.json().get("errors"))
        .extracting(e -> e.get("code").asString())
        .contains("UNSAFE_ADDRESS");
    assertThat(answer.json().get("errors"))
        .extracting(e -> e.get("pointer").asString())
        .contains("/connection/server");
    assertThat(answer.body()).doesNotContain("very-secret");
  }

  @Test
  void clusterFieldsFromAnOperatorAreValidatedOneByOne() {
    String simulated = "{name: sim, kind: SIMULATED, fleet: [{nodes: 1}], pinning: SCHEDULER}";
    assertThat(http.yaml("/api/v1/clusters", simulated).code()).isEqualTo("CONFLICTING_FIELDS");
    assertThat(pointers("pinning: BOTH")).contains("/pinning");
    assertThat(pointers("window: {until: tomorrow}")).contains("/window/until");
    assertThat(pointers("window: {from: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z'}"))
        .contains("/window/until");
    assertThat(pointers("window: {till: '2026-03-01T00:00:00Z'}")).contains("/window/till");
    assertThat(pointers("rdmaResource: '-x'")).contains("/rdmaResource");
    assertThat(pointers("topologyLabels: [zone, 'a b/c']")).contains("/topologyLabels/1");
    assertThat(pointers("topologyLabels: [a.com/rack, b.com/rack]")).contains("/topologyLabels");
    assertThat(pointers("topologyLabels: [a.com/rack, zone]")).doesNotContain("/topologyLabels");
  }

  /** Invalid fields of a registration with this field and an invalid connection. */
  private List<String> pointers(String field) {
    String body = "{name: k, connection: {server: 'http://x', caData: x}, " + field + "}";
    return StreamSupport.stream(
            http.yaml("/api/v1/clusters", body).json().get("errors").spliterator(), false)
        .map(e -> e.get("pointer").asString())
        .toList();
  }

  @Test
  void clusterRequiresExactlyOneConnectionMethod() {
    assertThat(http.yaml("/api/v1/clusters", "{name: none}").code())
        .isEqualTo("CONFLICTING_FIELDS");
    assertThat(http.yaml("/api/v1/clusters", "{name: sim, kind: SIMULATED, fleet: []}").status())
        .isEqualTo(422);
    assertThat(
            http.yaml("/api/v1/clusters", "{name: sim, kind: SIMULATED, fleet: [{nodes: 99999}]}")
                .status())
        .isEqualTo(422);
  }
}
