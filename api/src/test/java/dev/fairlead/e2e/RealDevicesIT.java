package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A faulty GPU under running gangs. The kubelets chose their devices. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealDevicesIT {
  private static final Duration PATIENCE = RealFairlead.PATIENCE;

  private static final String ON_BOTH_NODES =
      "spread: {level: host, maxPerDomain: 1}\npreemption: {gracePeriod: 1s}";

  /** Counts steps. Its first member saves the number at a checkpoint request. */
  private static final String TRAINS =
      """
      import os, sys, time
      place, first = "/training/step", os.environ["FAIRLEAD_INDEX"] == "0"
      step = int(open(place).read()) if os.path.exists(place) else 0
      print("attempt", os.environ["FAIRLEAD_ATTEMPT"], "resumes" if step else "begins", step)
      while True:
          time.sleep(0.1)
          step += 1
          if open(os.environ["FAIRLEAD_CHECKPOINT_FILE"]).read().strip():
              if first: open(place, "w").write(str(step))
              sys.exit(0)
      """;

  private static final String STAYS =
      """
      import time
      print("here")
      while True: time.sleep(1)
      """;

  private static RealFairlead real;
  private static RealNodes.Cluster cluster;
  @TempDir private static Path files;
  private final List<String> jobs = new ArrayList<>();

  @BeforeAll
  static void realNodes() throws IOException {
    real = RealFairlead.shared();
    cluster = real.cluster();
    Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  @AfterEach
  void allIsWellAgain() {
    for (String job : jobs) {
      real.cancel(job);
      real.reach(job, "CANCELLED");
    }
    for (String node : List.of("real-0", "real-1")) {
      cluster.unhealthy(node);
      real.release(node);
      real.awaitNode(node, "ACTIVE");
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

  private static String identity(String job, int member) {
    return real.member(job, member).path("gpuIdentity").asString("");
  }

  private static String device(JsonNode attempt, int member) {
    return attempt.get("members").get(member).at("/devices/0/gpu").asString();
  }

  /** The processes of a gang that must not be affected. */
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
  void gangOnAnUnhealthyGpuCheckpointsAndResumesOnAnother() {
    // the first job makes the namespace of the claim
    String other = runs(ON_BOTH_NODES, STAYS, "here");
    real.claim("training", files);
    String held =
        runs(
            "volumes: [{claim: training, mountPath: /training}]\n"
                + "preemption: {checkpointTimeout: 2m, gracePeriod: 5s}",
            TRAINS,
            "attempt 1 begins");
    List<RealNodes.Container> untouched = processes(other);
    String node = real.node(held, 1);
    int offered = real.offeredGpus(node);
    String sick = device(real.attempt(held, 1), 1);

    cluster.unhealthy(node, Integer.parseInt(sick.substring(sick.lastIndexOf('-') + 1)));

    real.awaitAttempt(held, 1, "PREEMPTED");
    JsonNode first = real.attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .satisfies(reason("unhealthy-devices.gpu-of-member", node, sick, "worker-1"));
    assertThat(real.facts(held, "AttemptStopping").getFirst().has("checkpointUntil")).isTrue();
    real.awaitAttempt(held, 2, "RUNNING");
    real.awaitLog(held, "worker-0", "attempt 2 resumes");
    real.awaitLog(held, "worker-1", "attempt 2 resumes");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(List.of(device(real.attempt(held, 2), 0), device(real.attempt(held, 2), 1)))
                .allMatch(gpu -> gpu.startsWith("GPU-"))
                .doesNotContain(sick));
    assertUntouched(other, untouched);
    real.awaitOfferedGpus(node, offered - 1);
    real.awaitNode(node, "ACTIVE");
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

  /** Fails when a node that offers no GPU until its device plugin is back loses its jobs. */
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
