package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Faulty GPUs and leaving machines under running gangs. The kubelets chose their devices. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealDevicesIT {
  private static final Duration PATIENCE = RealFairlead.PATIENCE;

  private static final String ON_BOTH_NODES =
      "spread: {level: host, maxPerDomain: 1}\npreemption: {gracePeriod: 1s}";

  private static final String STAYS =
      """
      import time
      print("here")
      while True: time.sleep(1)
      """;

  private static RealFairlead real;
  private static RealTraining training;
  private static RealNodes.Cluster cluster;
  private final List<String> jobs = new ArrayList<>();

  @BeforeAll
  static void realNodes(@TempDir Path files) throws IOException {
    real = RealFairlead.shared();
    cluster = real.cluster();
    training = new RealTraining(real, files);
  }

  @AfterAll
  static void theClaimEnds() {
    if (training != null) {
      training.end();
    }
  }

  @AfterEach
  void allIsWellAgain() {
    for (String job : jobs) {
      real.cancel(job);
      real.reach(job, "CANCELLED");
    }
    for (String node : List.of("real-0", "real-1")) {
      cluster.unhealthy(node);
      real.renew(node);
    }
    real.awaitOfferedGpus("real-0", 8);
    real.awaitOfferedGpus("real-1", 4);
  }

  private String runs(String fields, String program, String says) {
    String job = real.submit("workers: 2\ngpu: 1\n" + fields, program);
    jobs.add(job);
    real.awaitLog(job, "worker-0", says);
    real.awaitLog(job, "worker-1", says);
    await("devices of " + job)
        .atMost(PATIENCE)
        .until(() -> identity(job, 0).equals("OBSERVED") && identity(job, 1).equals("OBSERVED"));
    return job;
  }

  private String trains() {
    return runs(training.fields(), RealTraining.PROGRAM, "attempt 1 begins");
  }

  private static List<String> devices(String job, int attempt) {
    await("devices of the members")
        .atMost(PATIENCE)
        .until(() ->
            device(real.attempt(job, attempt), 0).startsWith("GPU-")
                && device(real.attempt(job, attempt), 1).startsWith("GPU-"));
    return List.of(device(real.attempt(job, attempt), 0), device(real.attempt(job, attempt), 1));
  }

  private static void assertResumed(String job) {
    real.awaitAttempt(job, 2, "RUNNING");
    real.awaitLog(job, "worker-0", "attempt 2 resumes");
    real.awaitLog(job, "worker-1", "attempt 2 resumes");
  }

  private static void breakGpu(String node, String gpu) {
    cluster.unhealthy(node, Integer.parseInt(gpu.substring(gpu.lastIndexOf('-') + 1)));
  }

  private static String identity(String job, int member) {
    return real.member(job, member).path("gpuIdentity").asString("");
  }

  private static String device(JsonNode attempt, int member) {
    return attempt.get("members").get(member).at("/devices/0/gpu").asString();
  }

  /** Processes of a gang that the fault must not affect. */
  private List<RealNodes.Container> processes(String job) {
    return List.of(
        cluster.containerOf(real.namespace(), real.pod(job, 0)),
        cluster.containerOf(real.namespace(), real.pod(job, 1)));
  }

  private static void assertUntouched(String job, List<RealNodes.Container> processes) {
    assertThat(real.job(job).get("state").asString()).isEqualTo("RUNNING");
    assertThat(real.job(job).get("attempt").asInt()).isEqualTo(1);
    assertThat(processes).allMatch(cluster::lives);
  }

  /**
   * Fails when the gang gets no checkpoint request, loses its work, or takes more than one GPU of
   * the node out of service.
   */
  @Test
  void gangOnAnUnhealthyGpuCheckpointsAndResumesOnAnother() throws IOException {
    String other = runs(ON_BOTH_NODES, STAYS, "here");
    String held = trains();
    List<RealNodes.Container> untouched = processes(other);
    String node = real.node(held, 1);
    int offered = real.offeredGpus(node);
    String sick = device(real.attempt(held, 1), 1);

    breakGpu(node, sick);
    training.awaitAsked(held, 2);
    training.saves(held);

    real.awaitAttempt(held, 1, "PREEMPTED");
    JsonNode first = real.attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .satisfies(reason("unhealthy-devices.gpu-of-member", node, sick, "worker-1"));
    assertThat(real.facts(held, "AttemptStopping").getFirst().has("checkpointUntil")).isTrue();
    assertResumed(held);
    assertThat(devices(held, 2)).doesNotContain(sick);
    assertUntouched(other, untouched);
    real.awaitOfferedGpus(node, offered - 1);
    real.awaitNode(node, "ACTIVE");
  }

  /**
   * Fails when a gang restarts while the end of a process is unknown, or loses the work that it
   * saved without its kubelet.
   */
  @Test
  void kubeletThatDiesDuringTheCheckpointDelaysTheRestartUntilItsReturn() throws IOException {
    String held = trains();
    String node = real.node(held, 1);
    String sick = device(real.attempt(held, 1), 1);
    List<RealNodes.Container> processes = processes(held);

    breakGpu(node, sick);
    training.awaitAsked(held, 2);
    cluster.signal(node, "kubelet", "KILL");
    try {
      training.saves(held);
      await("end of the processes")
          .atMost(PATIENCE)
          .until(() -> processes.stream().noneMatch(cluster::lives));
      await("silence").atMost(PATIENCE).until(() -> real.job(held).path("unreachable").isObject());
      assertThat(real.job(held).get("attempt").asInt()).isEqualTo(1);
      assertThat(real.attempt(held, 1).get("state").asString()).isEqualTo("STOPPING");
    } finally {
      cluster.start(node, "kubelet");
    }

    real.awaitAttempt(held, 1, "PREEMPTED");
    assertThat(real.attempt(held, 1).get("cause").asString()).isEqualTo("GPU_FAULT");
    assertResumed(held);
    assertThat(devices(held, 2)).doesNotContain(sick);
  }

  /** Fails when a gang loses its work, or still runs on a spot machine when it goes. */
  @Test
  void gangOnASpotMachineCheckpointsAndMovesBeforeTheMachineGoes() throws IOException {
    String held = trains();
    String node = real.node(held, 0);
    int gpus = real.offeredGpus(node);
    List<RealNodes.Container> processes = processes(held);

    String _ = cluster.plane().kubectl("taint", "node", node, RealFairlead.SPOT);
    try {
      training.awaitAsked(held, 2);
      training.saves(held);
      real.awaitAttempt(held, 1, "PREEMPTED");
      assertThat(processes).noneMatch(cluster::lives);
      assertThat(real.attempt(held, 1).get("message").asString())
          .contains(node, "spot interruption");
      assertThat(real.facts(held, "AttemptStopping").getFirst().has("checkpointUntil")).isTrue();
      assertResumed(held);
      assertThat(List.of(nodeOf(held, 0), nodeOf(held, 1))).doesNotContain(node);
    } finally {
      // A taint that is removed twice would keep the node closed.
      cluster.down(node);
      real.awaitOfferedGpus(node, 0);
      cluster.up(node, gpus);
    }
    assertThat(real.job(held).get("attempt").asInt()).isEqualTo(2);
  }

  private static String nodeOf(String job, int member) {
    return real.attempt(job, 2).get("members").get(member).get("node").asString();
  }

  /** Fails when a fault moves a gang on another GPU, or the two sources name different devices. */
  @Test
  void nodeAgentEventMovesOnlyTheGangOnThatGpu() {
    String held = runs(ON_BOTH_NODES, STAYS, "here");
    String other = runs(ON_BOTH_NODES, STAYS, "here");
    List<RealNodes.Container> untouched = processes(other);
    String node = real.node(held, 0);
    String sick = device(real.attempt(held, 1), 0);
    String now = Instant.now().toString();
    real.reports(
        "{\"allocations\": [{\"node\": \"%s\", \"at\": \"%s\", \"pods\": %s}]}"
            .formatted(node, now, cluster.allocations(node)));
    assertThat(real.member(held, 0).at("/devices/0/sources"))
        .extracting(JsonNode::asString)
        .containsExactlyInAnyOrder("NODE_AGENT", "POD_STATUS");

    real.reports(
        "{\"events\": [{\"id\": \"%1$s\", \"at\": \"%1$s\", \"node\": \"%2$s\", \"gpu\": \"%3$s\", \"xid\": 48}]}"
            .formatted(now, node, sick));

    real.awaitAttempt(held, 1, "FAILED");
    JsonNode first = real.attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .contains(sick, "held by worker-0", "its pod status");
    assertUntouched(other, untouched);
    real.awaitNode(node, "QUARANTINED");
  }

  /** Fails when a node loses its jobs while it offers no GPU because its device plugin is down. */
  @Test
  void devicePluginRestartMovesNoGang() {
    String job = runs(ON_BOTH_NODES, STAYS, "here");
    List<RealNodes.Container> untouched = processes(job);

    cluster.signal("real-1", "gpuplugin", "KILL");
    real.awaitOfferedGpus("real-1", 0);
    cluster.start("real-1", "gpuplugin");
    real.awaitOfferedGpus("real-1", 4);

    assertUntouched(job, untouched);
  }
}
