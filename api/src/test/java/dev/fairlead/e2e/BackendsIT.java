package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Clusters with another scheduler, on a real control plane with its kube-scheduler, Kueue's own
 * controller and the scheduler Coscheduling. Two nodes have four GPUs each, and the ClusterQueue of
 * Kueue has six.
 */
@OnControlPlane
class BackendsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String COSCHEDULING = "scheduling.x-k8s.io/v1alpha1";
  private static final String KUBERNETES = "scheduling.k8s.io/v1alpha2";
  private static final BackendTable TABLE = new BackendTable();
  private static String[] options;
  private static EmbeddedDatabase database;
  private static CuttableProxy line;
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;
  private static BackendProgram kueue;
  private static BackendProgram coscheduling;
  private static String namespace;

  /** Backends in the order of the table. */
  enum Backend {
    KUBE_SCHEDULER("{\"kind\":\"KUBE_SCHEDULER\",\"api\":null,\"queue\":null}"),
    KUEUE("{\"kind\":\"KUEUE\",\"api\":null,\"queue\":\"train\"}"),
    POD_GROUP("{\"kind\":\"POD_GROUP\",\"api\":\"scheduling.x-k8s.io/v1alpha1\",\"queue\":null}"),
    /** Kubernetes' own PodGroups. */
    WORKLOAD("{\"kind\":\"POD_GROUP\",\"api\":\"scheduling.k8s.io/v1alpha2\",\"queue\":null}");

    private final String body;

    Backend(String body) {
      this.body = body;
    }

    private String kind() {
      return this == WORKLOAD ? POD_GROUP.name() : name();
    }
  }

  @BeforeAll
  static void aClusterWithItsSchedulers(@TempDir Path folder) {
    cluster = KubernetesCluster.shared();
    cluster.start("kube-scheduler");
    cluster.nodes("backend", 2, 4, 1);
    options =
        new String[] {
          "--fairlead.key-file=" + folder.resolve("key"),
          "--fairlead.lease.duration=3s",
          "--fairlead.lease.renew=1s",
          "--fairlead.lease.self-stop=2s",
          "--fairlead.workload.keep-failed=0s",
          "--fairlead.workload.keep-succeeded=0s"
        };
    database = EmbeddedDatabase.start();
    line = CuttableProxy.to(database);
    fairlead = RunningFairlead.startBehind(database, line.url(database), options);
    http = fairlead.http();
    namespace = http.namespace("default");
    kueue = new BackendProgram("kueue", folder, cluster);
    if (kueue.built()) {
      kueue.startOnAPort();
      cluster.applies("deploy/cluster-kueue.yaml");
    }
    cluster.applies("deploy/cluster-pod-group.yaml");
    coscheduling = new BackendProgram("coscheduling", folder, cluster);
    if (coscheduling.built()) {
      coscheduling.start();
    }
    http.yaml("/api/v1/quotas", "{name: backends-root}");
    Http.Answer queue =
        http.yaml(
            "/api/v1/quotas",
            "{name: backends, parent: backends-root, queue: {order: BEST_EFFORT_FIFO}, preemption:"
                + " {withinQueue: LOWER_PRIORITY}}");
    assertThat(queue.status()).as(queue.body()).isEqualTo(201);
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(
                    Map.of(
                        "name",
                        "own",
                        "kubeconfig",
                        cluster.kubeconfig(),
                        "nodeLabelsAndTaints",
                        "POOL_AND_QUARANTINE")));
    Http.Answer made = http.json("/api/v1/clusters", body);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() -> http.get("/api/v1/clusters/own").json().path("gpus").asInt() == 8);
    String first = submit("1", "1s", "normal", 1); // makes the namespace
    reach(first, "SUCCEEDED");
    if (kueue.built()) {
      cluster.apply(BackendObjects.queues(namespace));
    }
  }

  @AfterAll
  static void theTable() {
    TABLE.print(Arrays.stream(Backend.values()).map(Backend::name).toList());
    kueue.stop();
    coscheduling.stop();
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static void seen(Backend backend, String scenario) {
    TABLE.seen(backend.name(), scenario);
  }

  private static void use(Backend backend) {
    assumeTrue(
        switch (backend) {
          case KUBE_SCHEDULER -> true;
          case WORKLOAD -> podGroupsAreServed();
          case KUEUE -> kueue.built();
          case POD_GROUP -> coscheduling.built();
        },
        "the scheduler is not built, make backends builds it");
    use(backend.kind(), backend.body);
  }

  private static void use(String kind, String body) {
    String patch = "{\"backend\":" + body + "}";
    /* The supervisor also writes the cluster, so the version may be outdated. */
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          Http.Answer set =
              http.send(
                  "PATCH",
                  "/api/v1/clusters/own",
                  patch,
                  "Content-Type",
                  "application/json",
                  "If-Match",
                  http.get("/api/v1/clusters/own").header("ETag"));
          assertThat(set.status()).as(set.body()).isEqualTo(200);
          assertThat(set.json().at("/backend/kind").asString()).isEqualTo(kind);
        });
    /* The supervisor connects again with the new settings. */
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/clusters/own").json().path("state").asString("").equals("ACTIVE"));
  }

  private static String submit(String gpus, String runFor, String priority, int workers) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/default/jobs",
            """
            image: registry.example.com/train:1
            workers: %d
            gpu: %s
            cpu: 1
            memory: 1Gi
            priorityClass: %s
            queue: backends
            placement: {clusters: [own]}
            annotations: {sim.fairlead.dev/run-for: %s}
            """
                .formatted(workers, gpus, priority, runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void cancel(String job) {
    http.send("POST", job + "/cancel", "{}", "Content-Type", "application/json");
    reach(job, "CANCELLED");
  }

  private static JsonNode reach(String job, String state) {
    await(job + " is " + state)
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals(state));
    return http.get(job).json();
  }

  private static String why(String job) {
    return http.get(job + "/explanation").json().path("message").asString("");
  }

  /** Node by pod of the newest attempt, as Fairlead has stored it. */
  private static SortedMap<String, String> stored(String job) {
    SortedMap<String, String> nodes = new TreeMap<>();
    JsonNode attempts = http.get(job + "/attempts").json().get("items");
    attempts
        .get(attempts.size() - 1)
        .get("members")
        .forEach(m -> nodes.put(m.get("pod").asString(), m.get("node").asString()));
    return nodes;
  }

  /** GPUs that the ledger holds, by node. */
  private static SortedMap<String, Integer> held() {
    SortedMap<String, Integer> held = new TreeMap<>();
    http.get("/api/v1/nodes?cluster=own")
        .json()
        .get("items")
        .forEach(node -> held.put(node.get("name").asString(), node.at("/allocated/gpu").asInt()));
    return held;
  }

  /** Non-zero amounts of the queue. */
  private static List<String> used() {
    return http
        .get("/api/v1/quotas/backends")
        .json()
        .get("usage")
        .findValuesAsString("used")
        .stream()
        .filter(amount -> !amount.matches("0[A-Za-z]*"))
        .toList();
  }

  /** Not on clusters that the caller of the tests has started. */
  private static boolean podGroupsAreServed() {
    return cluster.admin().supports(KUBERNETES, PodGroupApi.KIND);
  }

  private static List<GenericKubernetesResource> podGroups(String api) {
    return cluster
        .admin()
        .genericKubernetesResources(api, PodGroupApi.KIND)
        .inNamespace(namespace)
        .list()
        .getItems();
  }

  private static void nothingIsLeft(Backend backend) {
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
    if (backend == Backend.POD_GROUP || backend == Backend.WORKLOAD) {
      String api = backend == Backend.WORKLOAD ? KUBERNETES : COSCHEDULING;
      await().atMost(PATIENCE).until(() -> podGroups(api).isEmpty());
    }
    await().atMost(PATIENCE).until(() -> held().values().stream().allMatch(gpus -> gpus == 0));
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(used()).isEmpty());
    seen(backend, "quota back to zero");
  }

  @ParameterizedTest
  @EnumSource
  void jobRunsOnTheNodeChosenByTheSchedulerAndTheLedgerFollows(Backend backend) {
    use(backend);
    String job = submit("1", "6s", "normal", 1);
    reach(job, "RUNNING");
    SortedMap<String, String> real = cluster.podNodes(namespace);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(real).containsAllEntriesOf(stored(job)));
    String node = stored(job).values().iterator().next();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(held()).containsEntry(node, 1));
    reach(job, "SUCCEEDED");
    seen(backend, "submit");
    nothingIsLeft(backend);
  }

  @ParameterizedTest
  @EnumSource
  void gangRunsAsAWholeAndACancelEndsIt(Backend backend) {
    use(backend);
    String gang = submit("3", "1h", "normal", 2);
    reach(gang, "RUNNING");
    assertThat(stored(gang)).hasSize(2);
    assertThat(used()).isNotEmpty();
    assertThat(cluster.podNodes(namespace)).containsAllEntriesOf(stored(gang));
    String whole = submit("4", "1h", "normal", 2);
    await()
        .atMost(PATIENCE)
        .until(() -> !http.get(whole + "/explanation").json().get("blockers").isEmpty());
    assertThat(cluster.wanted(namespace)).hasSize(2);
    cancel(whole);
    if (backend == Backend.KUBE_SCHEDULER) {
      seen(backend, "gang all or nothing");
    }
    cancel(gang);
    seen(backend, "cancel");
    nothingIsLeft(backend);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void higherPriorityJobPreemptsAnother(Backend backend) {
    use(backend);
    String low = submit("3", "1h", "low", 2);
    reach(low, "RUNNING");
    String high = submit("3", "4s", "high", 2);
    reach(high, "SUCCEEDED");
    assertThat(http.get(low + "/attempts").json().toString()).contains("PREEMPTED");
    seen(backend, "preempt");
    reach(low, "RUNNING");
    cancel(low);
    nothingIsLeft(backend);
  }

  /** Fails when an eviction by Kueue counts as a failure, leaks capacity, or loses the job. */
  @Test
  void gangPreemptedByKueueReportsItsReasonAndRunsAgain() {
    use(Backend.KUEUE);
    String gang = submit("3", "1h", "normal", 2);
    reach(gang, "RUNNING");
    cluster.apply(BackendObjects.urgentPod());

    await("Kueue has evicted the first attempt, and the second waits")
        .atMost(PATIENCE)
        .until(() -> http.get(gang + "/attempts").json().get("items").size() == 2);
    assertThat(
            http.get(gang + "/attempts").json().get("items").findValues("cause").stream()
                .map(JsonNode::toString))
        .containsExactlyInAnyOrder("\"EVICTED\"", "null");
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(why(gang)).contains("kueue reports: "));
    assertThat(cluster.podNodes(namespace).values()).doesNotContainAnyElementsOf(held().keySet());
    assertThat(held().values().stream().mapToInt(gpus -> gpus).sum())
        .as("the ledger has the waiting attempt alone")
        .isEqualTo(6);

    cluster.admin().pods().inNamespace("other-team").withName("urgent").withGracePeriod(0).delete();
    reach(gang, "RUNNING");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.podNodes(namespace)).containsAllEntriesOf(stored(gang)));
    assertThat(held().values().stream().mapToInt(gpus -> gpus).sum()).isEqualTo(6);
    cancel(gang);
    nothingIsLeft(Backend.KUEUE);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void waitReasonIsTheMessageOfTheScheduler(Backend backend) {
    use(backend);
    signal(backend, "STOP");
    String waits = submit("4", "1h", "normal", 2);
    String words =
        backend == Backend.KUEUE
            ? "kueue reports: couldn't assign flavors"
            : "the scheduler of the cluster has not processed the pod yet";
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(why(waits)).contains(words));
    assertThat(cluster.podNodes(namespace).values()).doesNotContainAnyElementsOf(held().keySet());
    signal(backend, "CONT");
    seen(backend, "cause of failure");
    if (backend == Backend.KUEUE) {
      seen(backend, "gang all or nothing");
    }
    cancel(waits);
    nothingIsLeft(backend);
  }

  /** Stops or continues the scheduler. With Kueue, pods wait for Kueue before the scheduler. */
  private static void signal(Backend backend, String name) {
    switch (backend) {
      case KUBE_SCHEDULER, WORKLOAD -> cluster.signal("kube-scheduler", name);
      case POD_GROUP -> coscheduling.signal(name);
      case KUEUE -> {}
    }
  }

  /** Fails when one member of a gang holds GPUs while another has no node. */
  @ParameterizedTest
  @EnumSource(names = {"POD_GROUP", "WORKLOAD"})
  void podGroupThatDoesNotFitBindsNoneAndReportsWhy(Backend backend) {
    use(backend);
    end(backend);
    String gang = submit("4", "1h", "normal", 2);
    await().atMost(PATIENCE).until(() -> cluster.wanted(namespace).size() == 2);
    cluster.apply(BackendObjects.foreignPod(held().firstKey()));
    start(backend); // a started scheduler reads all pods before it binds one

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(why(gang)).contains("cluster reports: ", "Insufficient nvidia.com/gpu"));
    assertThat(cluster.podNodes(namespace).values()).doesNotContainAnyElementsOf(held().keySet());

    cluster.admin().pods().inNamespace("default").withName("foreign").withGracePeriod(0).delete();
    reach(gang, "RUNNING");
    assertThat(http.get(gang + "/attempts").json().get("items")).hasSize(1);
    seen(backend, "gang all or nothing");
    cancel(gang);
    nothingIsLeft(backend);
  }

  private static void end(Backend backend) {
    if (backend == Backend.WORKLOAD) {
      cluster.signal("kube-scheduler", "KILL");
    } else {
      coscheduling.stop();
    }
  }

  private static void start(Backend backend) {
    if (backend == Backend.WORKLOAD) {
      cluster.start("kube-scheduler");
    } else {
      coscheduling.start();
    }
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void anotherReplicaTakesOver(Backend backend) {
    use(backend);
    String job = submit("1", "25s", "normal", 1);
    reach(job, "RUNNING");
    RunningFairlead second = RunningFairlead.startBehind(database, database.url(), options);
    line.cut();
    http = second.http();
    reach(job, "SUCCEEDED");
    assertThat(http.get(job + "/attempts").json().get("items")).hasSize(1);
    seen(backend, "kill of the replica");
    line.restore();
    http = fairlead.http();
    second.end();
    nothingIsLeft(backend);
  }
}
