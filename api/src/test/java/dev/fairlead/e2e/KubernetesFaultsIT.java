package dev.fairlead.e2e;

import static dev.fairlead.e2e.FaultRig.PATIENCE;
import static dev.fairlead.e2e.FaultRig.node;
import static dev.fairlead.e2e.FaultRig.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.OverCommitWatch;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Faults on real control planes, through the whole service. After each fault none of our objects
 * remains, foreign objects are unchanged, and no node was over-committed.
 *
 * <p>Covers exit code 1, out of memory, image errors, a node that refuses pods, deleted and
 * force-deleted pods, a node that is silent for a while or lost, a lost GPU, a terminating
 * namespace, a foreign object with our name, an API server that is killed, hangs, or is unreachable
 * until its watch expires (410), and a restart of the service. Two replicas are in {@link
 * TwoReplicasIT}.
 */
@OnControlPlane
class KubernetesFaultsIT {
  private static FaultRig rig;
  private static FaultRig.Site east;
  private static FaultRig.Site west;

  @BeforeAll
  static void twoClusters(@TempDir Path keys) {
    List<TestCluster> clusters = KubernetesCluster.several(2);
    for (TestCluster cluster : clusters) {
      cluster.nodes("fault", 3, 8, 1);
    }
    rig = new FaultRig(keys);
    east = rig.register("east", clusters.get(0), "fault-0000");
    west = rig.register("west", clusters.get(1), "fault-0000");
  }

  @AfterAll
  static void end() throws Exception {
    for (AutoCloseable part : new AutoCloseable[] {rig, east, west}) {
      if (part != null) {
        part.close();
      }
    }
  }

  @AfterEach
  void nothingIsLeftNothingElseIsTouchedAndNothingWasOverCommitted() {
    for (FaultRig.Site site : List.of(east, west)) {
      await(site.name() + " is empty")
          .atMost(PATIENCE)
          .until(
              () -> site.bystanders().besides(site.cluster().left(rig.namespace())),
              java.util.Set::isEmpty);
      assertThat(site.bystanders().changes()).isEmpty();
      assertThat(site.referee().tooLate()).isEmpty();
    }
  }

  /** A job of one GPU on the nodes of this suite; {@code more} are annotations. */
  private static String job(FaultRig.Site site, String runFor, String... more) {
    return spec(site, "gpu: 1", "topology.fairlead.dev/block: fault-0-b", runFor, more);
  }

  private static String spec(
      FaultRig.Site site, String asks, String nodes, String runFor, String... more) {
    StringBuilder annotations = new StringBuilder("sim.fairlead.dev/run-for: " + runFor);
    for (String annotation : more) {
      annotations.append(", sim.fairlead.dev/").append(annotation);
    }
    return "{image: x, %s, placement: {clusters: [%s], nodeLabels: {%s}}, annotations: {%s}}"
        .formatted(asks, site.name(), nodes, annotations);
  }

  private static String host(String node) {
    return "kubernetes.io/hostname: " + node;
  }

  /**
   * Faults of separate jobs, nodes or namespaces, run concurrently: most of their time is spent
   * waiting.
   */
  @TestFactory
  List<DynamicTest> faultsOfOnePlace() {
    Map<String, Runnable> faults =
        Map.of(
            "what a container ends with is the job's failure, and only once",
            this::containerExitIsReportedOnceAsTheFailureOfTheJob,
            "a pod deleted by hand is an eviction, and the job runs again",
            this::aPodDeletedByHandIsAnEvictionAndTheJobRunsAgain,
            "a force-deleted pod blocks its job until its node is known to have booted",
            this::aForceDeletedPodBlocksItsJobUntilItsNodeIsKnownToHaveBooted,
            "a pod that nobody can prove dead ends after an operator's confirmation",
            this::aPodThatNobodyCanProveDeadEndsOnAnOperatorsWord,
            "a node that is silent for a while keeps its job",
            this::aNodeThatIsSilentForAWhileKeepsItsJob,
            "a node that is gone holds its job until its machine is known to be off",
            this::aNodeThatIsGoneHoldsItsJobUntilItsMachineIsKnownToBeOff,
            "a lost GPU is shown, takes no new job and ends no running one",
            this::aLostGpuIsShownTakesNoNewJobAndEndsNoRunningOne,
            "a namespace that is taken away is made anew when it is gone",
            this::aNamespaceThatIsTakenAwayIsMadeAnewWhenItIsGone);
    List<OverCommitWatch> watches =
        Stream.of(east, west)
            .map(FaultRig.Site::cluster)
            .filter(TestCluster::owns)
            .map(OverCommitWatch::beside)
            .toList();
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    List<DynamicTest> tests = new ArrayList<>();
    new TreeMap<>(faults)
        .forEach((name, fault) -> {
          var done = CompletableFuture.runAsync(fault, threads);
          tests.add(DynamicTest.dynamicTest(name, done::join));
        });
    threads.shutdown();
    tests.add(
        DynamicTest.dynamicTest(
            "and no node is given more GPUs than it has",
            () -> watches.forEach(watch -> assertThat(watch.ended()).isEmpty())));
    return tests;
  }

  private void containerExitIsReportedOnceAsTheFailureOfTheJob() {
    SortedMap<String, String> jobs = new TreeMap<>();
    jobs.put("USER_ERROR", rig.submit(job(east, "1s", "outcome: fail", "exit-code: '1'")));
    jobs.put("OUT_OF_MEMORY", rig.submit(job(west, "1s", "outcome: oom")));
    jobs.put("IMAGE_PULL", rig.submit(job(east, "1s", "outcome: image-error")));
    jobs.forEach((cause, job) -> {
      JsonNode failed = rig.reach(job, "FAILED");
      assertThat(failed.at("/failure/cause").asString()).isEqualTo(cause);
      assertThat(rig.attempts(job))
          .filteredOn(a -> a.get("startedAt").isString())
          .hasSizeLessThan(2);
    });
    assertThat(rig.http().get(jobs.get("USER_ERROR")).json().at("/failure/exitCode").asInt())
        .isEqualTo(1);
  }

  /**
   * Fairlead's view of the cluster is delayed while a foreign pod fills the node, so the job is
   * planned for a full node, and the referee refuses it like a kubelet.
   */
  @Tag("long")
  @Test
  void podRejectedByItsNodeIsReplannedWithoutOvercommit() {
    assumeTrue(east.cluster().owns(), "only on a cluster that this JVM started");
    String full = east.cluster().nodes("full", 1, 8, 1).getFirst();
    awaitNode(east, full);
    String job;
    JsonNode first;
    try (OverCommitWatch watch = OverCommitWatch.beside(east.cluster())) {
      try {
        job =
            rig.plannedWhileFrozen(
                east, spec(east, "gpu: 1", host(full), "1s", "start-after: 10s", "attempts: '1'"));
        first = rig.attempt(job);
        east.faults().fill(full, 8);
      } finally {
        east.line().thaw();
      }
      JsonNode refused = rig.reach(first, "FAILED");
      assertThat(refused.get("cause").asString()).isEqualTo("PLACEMENT_CONFLICT");
      rig.reach(job, "QUEUED");
      east.faults().unfill(full);
      rig.reach(job, "SUCCEEDED");
      assertThat(rig.attempts(job)).hasSizeGreaterThan(1);
      // Pods that arrived on a full node were refused. After that, no pod arrived until the node
      // was free.
      assertThat(east.referee().refused()).contains(pod(refused));
      assertThat(watch.ended()).containsExactly(rig.namespace() + "/" + pod(refused));
    }
  }

  /** Fails when any object with the name is adopted ({@code ObjectLabels.sameIdentity}). */
  @Test
  void foreignObjectWithOurNameIsLeftAloneAndReportedByTheJob() {
    String job;
    String pod;
    try {
      job = rig.plannedWhileFrozen(west, job(west, "1s"));
      pod = pod(rig.attempt(job));
      west.faults().occupy(rig.namespace(), pod, node(rig.attempt(job)));
    } finally {
      west.line().thaw();
    }
    JsonNode failed = rig.reach(job, "FAILED");
    assertThat(failed.at("/failure/cause").asString()).isEqualTo("PLATFORM");
    assertThat(failed.at("/failure/message").asString())
        .contains(pod, "was not created by Fairlead");
    assertThat(west.faults().hasPod(rig.namespace(), pod)).isTrue();
    west.faults().forceDeletePod(rig.namespace(), pod);
  }

  private void aPodDeletedByHandIsAnEvictionAndTheJobRunsAgain() {
    String job = rig.submit(job(east, "1h"));
    JsonNode first = rig.runs(job);
    east.faults().deletePod(rig.namespace(), pod(first));
    JsonNode evicted = rig.reach(first, "EVICTED");
    assertThat(evicted.get("cause").asString()).isEqualTo("EVICTED");
    rig.runsAfter(job, first.get("number").asInt());
    rig.cancel(job);
  }

  /**
   * Its object is deleted and its process may run: nothing proves the end until the node has
   * rebooted. Fails when a pod that vanished counts as dead ({@code MemberJudge.withoutPod}).
   */
  private void aForceDeletedPodBlocksItsJobUntilItsNodeIsKnownToHaveBooted() {
    String crashed = west.cluster().nodes("crashed", 1, 8, 1).getFirst();
    west.faults().boot(crashed, "boot-1");
    awaitNode(west, crashed);
    String job = rig.submit(spec(west, "gpu: 8", host(crashed), "1h"));
    JsonNode first = rig.runs(job);
    west.faults().forceDeletePod(rig.namespace(), pod(first));
    rig.reach(first, "UNKNOWN");
    assertThat(rig.http().get(job).json().at("/gpus/allocated").asInt()).isEqualTo(8);
    west.faults().boot(crashed, "boot-2");
    assertThat(rig.reach(first, "LOST").get("cause").asString()).isEqualTo("NODE_FAILURE");
    rig.runsAfter(job, first.get("number").asInt());
    rig.cancel(job);
  }

  private void aPodThatNobodyCanProveDeadEndsOnAnOperatorsWord() {
    String job = rig.submit(job(west, "1h"));
    JsonNode first = rig.runs(job);
    west.faults().forceDeletePod(rig.namespace(), pod(first));
    rig.reach(first, "UNKNOWN");
    // a node with a late lease on a busy machine is briefly unreachable as well
    await().atMost(PATIENCE).until(() -> unreachable(job).path("scope").asString("").equals("POD"));
    assertThat(unreachable(job, "PodUnreachable").get("scope").asString()).isEqualTo("POD");
    Http.Answer word =
        rig.http()
            .json(
                "/api/v1/attempts/" + first.get("id").asString() + "/confirm-dead",
                "{\"members\":[\"worker-0\"],\"reason\":\"looked: no such process\"}");
    assertThat(word.status()).as(word.body()).isEqualTo(200);
    assertThat(word.json().at("/members/0/evidence").asString()).isEqualTo("OPERATOR_CONFIRMED");
    assertThat(rig.reach(first, "LOST").get("cause").asString()).isEqualTo("CLUSTER_LOST");
    rig.runsAfter(job, first.get("number").asInt());
    rig.cancel(job);
  }

  private void aNodeThatIsSilentForAWhileKeepsItsJob() {
    String quiet = east.cluster().nodes("quiet", 1, 8, 1).getFirst();
    awaitNode(east, quiet);
    String job = rig.submit(spec(east, "gpu: 1", host(quiet), "60s"));
    JsonNode first = rig.runs(job);
    east.cluster().silence(quiet);
    try {
      rig.reach(first, "UNKNOWN");
      await()
          .atMost(PATIENCE)
          .until(() -> unreachable(job).path("scope").asString("").equals("NODE"));
      JsonNode unreachable = unreachable(job, "NodeUnreachable");
      assertThat(unreachable.get("message").asString())
          .isEqualTo("node " + quiet + " cannot be seen");
      assertThat(unreachable.at("/members/0/state").asString()).isEqualTo("RUNNING");
      assertThat(unreachable.get("actions").toString())
          .contains("onUnreachable WAIT", "out-of-service", "fairlead job confirm-dead");
      assertThat(rig.http().get(job + "/explanation").json().get("unreachable"))
          .isEqualTo(unreachable);
    } finally {
      east.cluster().restore(quiet);
    }
    rig.succeedsOnce(job);
    assertThat(unreachable(job).isMissingNode() || unreachable(job).isNull()).isTrue();
  }

  private JsonNode unreachable(String job) {
    return rig.http().get(job).json().path("unreachable");
  }

  /**
   * The error text about inaccessible components. The condition next to its state has the same
   * text.
   */
  private JsonNode unreachable(String job, String reason) {
    JsonNode shown = rig.http().get(job).json();
    JsonNode unreachable = shown.get("unreachable");
    assertThat(shown.get("conditions").values())
        .filteredOn(condition -> condition.get("type").asString().equals("Healthy"))
        .singleElement()
        .matches(c -> c.get("status").asString().equals("Unknown"))
        .matches(c -> c.get("reason").asString().equals(reason))
        .matches(c -> c.get("message").equals(unreachable.get("message")));
    return unreachable;
  }

  /**
   * A deleted node object proves nothing by itself. The statement that the machine is off is proof.
   */
  private void aNodeThatIsGoneHoldsItsJobUntilItsMachineIsKnownToBeOff() {
    List<String> gone = west.cluster().nodes("gone", 2, 8, 1);
    gone.forEach(node -> awaitNode(west, node));
    String block = "topology.fairlead.dev/block: gone-0-b";
    String unproven = rig.submit(spec(west, "gpu: 8", block, "1h"));
    String proven = rig.submit(spec(west, "gpu: 8", block, "1h"));
    JsonNode held = rig.runs(unproven);
    JsonNode off = rig.runs(proven);
    String unprovenNode = node(held);
    String provenNode = node(off);
    west.faults().deleteNode(unprovenNode);
    west.faults().outOfService(provenNode);
    assertThat(rig.reach(off, "LOST").get("cause").asString()).isEqualTo("NODE_FAILURE");
    west.faults().deleteNode(provenNode);
    rig.reach(held, "UNKNOWN");
    west.cluster().nodes("gone", 2, 8, 1);
    rig.runsAfter(proven, off.get("number").asInt());
    west.faults().outOfService(unprovenNode);
    rig.reach(held, "LOST");
    rig.cancel(unproven);
    rig.cancel(proven);
    west.cluster().patch(unprovenNode, "{\"spec\":{\"taints\":null}}");
    west.cluster().restore(unprovenNode);
  }

  /** Fails when GPUs are counted by capacity ({@code NodeReports.gpus}). */
  private void aLostGpuIsShownTakesNoNewJobAndEndsNoRunningOne() {
    String worn = east.cluster().nodes("worn", 1, 8, 1).getFirst();
    awaitNode(east, worn);
    String running = rig.submit(spec(east, "gpu: 8", host(worn), "60s"));
    rig.runs(running);
    east.faults().gpus(worn, 7);
    await().atMost(PATIENCE).until(() -> nodes(east, worn).contains("\"FAILED\""));
    String next = rig.submit(spec(east, "gpu: 8", host(worn), "1s"));
    rig.succeedsOnce(running);
    await().atMost(PATIENCE).until(() -> !rig.http().get(next).json().get("pending").isNull());
    assertThat(rig.attempts(next)).isEmpty();
    east.faults().gpus(worn, 8);
    rig.reach(next, "SUCCEEDED");
  }

  /**
   * Fails when a namespace that existed once is assumed to exist still ({@code Namespaces.forget}).
   */
  private void aNamespaceThatIsTakenAwayIsMadeAnewWhenItIsGone() {
    rig.http().json("/api/v1/projects", "{\"name\":\"leaving\"}");
    String namespace = rig.http().namespace("leaving");
    String job = rig.submit("leaving", job(east, "1h"));
    JsonNode first = rig.runs(job);
    String before = east.faults().namespaceUid(namespace);
    east.faults().deleteNamespace(namespace);
    assertThat(rig.reach(first, "EVICTED").get("cause").asString()).isEqualTo("EVICTED");
    rig.runsAfter(job, first.get("number").asInt());
    assertThat(east.faults().namespaceUid(namespace)).isNotIn("", before);
    rig.cancel(job);
    await().atMost(PATIENCE).until(() -> east.cluster().left(namespace).isEmpty());
  }

  @Test
  void killedApiServerDelaysOnlyItsCluster() {
    assumeTrue(west.cluster().owns(), "only on a cluster that this JVM started");
    String there = rig.submit(job(west, "1h"));
    JsonNode first = rig.runs(there);
    west.cluster().signal("kube-apiserver", "KILL");
    try {
      String elsewhere = rig.submit(job(east, "100ms"));
      rig.reach(elsewhere, "SUCCEEDED");
      await().atMost(PATIENCE).until(() -> !trouble(west).isEmpty());
      assertThat(rig.http().get(there).json().path("state").asString("")).isEqualTo("RUNNING");
    } finally {
      west.cluster().start("kube-apiserver");
    }
    await().atMost(PATIENCE).until(() -> trouble(west).isEmpty());
    rig.reach(first, "RUNNING");
    assertThat(rig.attempt(there).get("number")).isEqualTo(first.get("number"));
    rig.cancel(there);
  }

  @Tag("long")
  @Test
  void hangingApiServerStartsNothingTwiceAndDelaysOnlyItsCluster() {
    assumeTrue(east.cluster().owns(), "only on a cluster that this JVM started");
    String there;
    east.cluster().signal("kube-apiserver", "STOP");
    try {
      there = rig.submit(job(east, "1s"));
      rig.reach(rig.submit(job(west, "100ms")), "SUCCEEDED");
      await().atMost(PATIENCE).until(() -> trouble(east).contains("no answer"));
    } finally {
      east.cluster().signal("kube-apiserver", "CONT");
    }
    rig.reach(there, "SUCCEEDED");
    // Nodes whose leases have lapsed may refuse a first attempt before it starts.
    assertThat(rig.attempts(there)).filteredOn(a -> a.get("startedAt").isString()).hasSize(1);
  }

  /**
   * The API server drops its event history, so that the old resource version of the watch expires
   * (410 Gone).
   */
  @Tag("long")
  @Test
  void eventsDuringAWatchOutageAreSeenAfterwards() {
    assumeTrue(east.cluster().owns(), "only on a cluster that this JVM started");
    String deleted = rig.submit(job(east, "1h"));
    String ends = rig.submit(job(east, "5s"));
    String stays = rig.submit(job(east, "1h"));
    JsonNode first = rig.runs(deleted);
    JsonNode kept = rig.runs(stays);
    east.line().cut();
    try {
      String place = east.faults().placeInTheWatch();
      east.faults().deletePod(rig.namespace(), pod(first));
      east.cluster().signal("kube-apiserver", "KILL");
      east.cluster().start("kube-apiserver");
      await("410 for whoever goes on from there")
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(() -> east.faults().goneFrom(place));
    } finally {
      east.line().restore();
    }
    rig.succeedsOnce(ends);
    rig.reach(first, "EVICTED");
    rig.runsAfter(deleted, first.get("number").asInt());
    rig.reach(kept, "RUNNING");
    assertThat(rig.attempt(stays).get("number")).isEqualTo(kept.get("number"));
    rig.cancel(deleted);
    rig.cancel(stays);
  }

  @Tag("long")
  @Test
  void restartedServiceResumesRunningAndWaitingJobs() {
    String running = rig.submit(job(east, "60s"));
    rig.runs(running);
    String failing = rig.submit(job(west, "30s", "outcome: fail", "exit-code: '4'"));
    rig.runs(failing);
    String waiting = rig.submit(job(west, "1s", "start-after: 2s"));
    rig.restart();
    rig.succeedsOnce(running);
    assertThat(rig.reach(failing, "FAILED").at("/failure/exitCode").asInt()).isEqualTo(4);
    rig.succeedsOnce(waiting);
  }

  private static void awaitNode(FaultRig.Site site, String node) {
    await().atMost(PATIENCE).until(() -> nodes(site, node).contains("\"ACTIVE\""));
  }

  /** The state of the node in Fairlead, empty if Fairlead does not know the node. */
  private static String nodes(FaultRig.Site site, String node) {
    for (JsonNode item :
        rig.http().get("/api/v1/nodes?pageSize=500&cluster=" + site.name()).json().get("items")) {
      if (item.get("name").asString().equals(node)) {
        return item.toString();
      }
    }
    return "";
  }

  private static String trouble(FaultRig.Site site) {
    JsonNode trouble = rig.http().get("/api/v1/clusters/" + site.name()).json().get("trouble");
    return trouble.isNull() ? "" : trouble.asString();
  }
}
