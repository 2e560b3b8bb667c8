package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Faults of the nodes under running processes. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealNodeFaultsIT {
  private static final Duration PATIENCE = RealFairlead.PATIENCE;

  /** Exits with 5 on request. */
  private static final String WAITS =
      """
      import os, signal, sys, time
      signal.signal(signal.SIGUSR1, lambda *_: sys.exit(5))
      print("devices", os.environ.get("NVIDIA_VISIBLE_DEVICES"))
      while True: time.sleep(1)
      """;

  /** The first attempt stays, any other succeeds. */
  private static final String STAYS_ONCE =
      """
      import os, time
      print("attempt", os.environ["FAIRLEAD_ATTEMPT"])
      while os.environ["FAIRLEAD_ATTEMPT"] == "1": time.sleep(1)
      """;

  private static RealFairlead real;
  private static String namespace;
  private static RealNodes.Cluster cluster;

  @BeforeAll
  static void realNodes() {
    real = RealFairlead.shared();
    namespace = real.namespace();
    cluster = real.cluster();
  }

  /** The failed attempts of a test would close their node for the next one. */
  @AfterEach
  void bothNodesTakeJobsAgain() {
    real.renew("real-0");
    real.renew("real-1");
  }

  @Test
  void deadKubeletReportsTheTrueExitCodeAfterItsReturn() {
    String job = real.submit("gpu: 1", WAITS);
    real.awaitLog(job, "worker-0", "devices");
    String pod = real.pod(job, 0);
    String node = real.node(job, 0);
    RealNodes.Container process = cluster.containerOf(namespace, pod);

    cluster.signal(node, "kubelet", "KILL");
    cluster.kill(namespace, pod, "SIGUSR1");
    await().atMost(PATIENCE).until(() -> !cluster.lives(process));
    real.awaitAttempt(job, 1, "UNKNOWN");
    assertThat(cluster.phase(namespace, pod)).isEqualTo("Running");
    assertThat(real.job(job).get("state").asString()).isEqualTo("RUNNING");
    cluster.start(node, "kubelet");

    JsonNode failure = real.reach(job, "FAILED").get("failure");
    assertThat(failure.get("cause").asString()).isEqualTo("USER_ERROR");
    assertThat(failure.get("exitCode").asInt()).isEqualTo(5);
  }

  /** Fails when a deadline counts as proof, although the kubelet that enforces it is dead. */
  @Test
  void deadKubeletEnforcesNoDeadlineAndAWaitingJobStartsNoSecondCopy() {
    String job = real.submit("gpu: 1\nmaxRuntime: 20s\npreemption: {gracePeriod: 1s}", STAYS_ONCE);
    real.awaitLog(job, "worker-0", "attempt 1");
    String pod = real.pod(job, 0);
    String node = real.node(job, 0);
    RealNodes.Container process = cluster.containerOf(namespace, pod);

    cluster.signal(node, "kubelet", "KILL");
    real.awaitAttempt(job, 1, "STOPPING");
    await().atMost(PATIENCE).until(() -> real.job(job).path("unreachable").isObject());

    assertThat(real.job(job).get("attempt").asInt()).isEqualTo(1);
    assertThat(cluster.lives(process)).isTrue();
    cluster.start(node, "kubelet");
    real.reach(job, "FAILED");
  }

  /**
   * With the owner's permission, the first process lives while the second attempt does the work.
   */
  @Test
  void jobThatAllowsOverlapStartsASecondCopyAfterTheDeadlineOfADeadKubelet() {
    String permitted = "gpu: 1\nmaxRuntime: 20s\nonUnreachable: AFTER_DEADLINE";
    String job = real.submit(permitted + "\npreemption: {gracePeriod: 1s}", STAYS_ONCE);
    real.awaitLog(job, "worker-0", "attempt 1");
    String pod = real.pod(job, 0);
    String node = real.node(job, 0);
    RealNodes.Container process = cluster.containerOf(namespace, pod);

    cluster.signal(node, "kubelet", "KILL");
    real.reach(job, "SUCCEEDED");

    assertThat(cluster.lives(process)).isTrue();
    assertThat(real.attempt(job, 1).get("cause").asString()).isEqualTo("CLUSTER_LOST");
    cluster.start(node, "kubelet");
    await().atMost(PATIENCE).until(() -> !cluster.lives(process));
  }

  @Test
  void crashedNodeLosesItsProcessesAndTheirJobRestarts() {
    String job = real.submit("gpu: 1", STAYS_ONCE);
    real.awaitLog(job, "worker-0", "attempt 1");
    String node = real.node(job, 0);
    int gpus = real.offeredGpus(node);

    cluster.crash(node);
    real.awaitAttempt(job, 1, "UNKNOWN");
    cluster.up(node, gpus);

    real.reach(job, "SUCCEEDED");
    JsonNode first = real.attempt(job, 1);
    assertThat(first.get("cause").asString()).isEqualTo("NODE_FAILURE");
    assertThat(real.member(job, 0).get("reason").asString()).isEqualTo("ContainerStatusUnknown");
    assertThat(real.attempt(job, 2).get("state").asString()).isEqualTo("SUCCEEDED");
  }

  @Test
  void nodeWithLessRoomThanReportedRejectsThePodAndTheJobIsReplanned() {
    cluster.foreignPod("squatter", "real-0", 4);
    String job =
        real.submit("gpu: 8", "import os; print(len(os.environ['NVIDIA_VISIBLE_DEVICES']))");
    // Its kubelet is stopped, so the API's data about its GPUs is wrong until the kubelet
    // continues.
    cluster.signal("real-0", "kubelet", "STOP");
    cluster.claimGpus("real-0", 12);
    await().atMost(PATIENCE).until(() -> real.job(job).get("attempt").asInt() == 1);
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.plane().podNodes(namespace).containsKey(real.pod(job, 0)));
    cluster.signal("real-0", "kubelet", "CONT");

    real.awaitAttempt(job, 1, "FAILED");
    assertThat(real.attempt(job, 1).get("cause").asString()).isEqualTo("PLACEMENT_CONFLICT");
    assertThat(real.member(job, 0).get("reason").asString()).isEqualTo("UnexpectedAdmissionError");
    cluster.removeForeignPod("squatter");
    real.reach(job, "SUCCEEDED");
    assertThat(real.facts(job, "MemberFailed").getFirst().get("evidence").asString())
        .isEqualTo("NEVER_STARTED");
  }
}
