package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Tests that run on the nodes of a job before it starts there, as processes. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealPreflightIT {
  /** All GPUs of real-1: if a test still held one, the job would be refused. */
  private static final String JOB = "gpu: 4\nmaxRuntime: 5m\npreflight: {test: %s, timeout: 2m}";

  private static final String SAYS_ITS_DEVICES =
      "import os; print('devices', os.environ['NVIDIA_VISIBLE_DEVICES'])";

  /** Takes all of real-0 until it is cancelled, so that a job with 4 GPUs begins on real-1. */
  private static final String FILLS_THE_FIRST_NODE =
      "import time\nprint('here')\nwhile True: time.sleep(1)";

  /** The device plugin names GPUs by the FNV-1a hash of their node. */
  private static final String FAILS_ON_REAL_1 =
      """
      import os, sys
      hash = 0x811c9dc5
      for byte in b"real-1": hash = (hash ^ byte) * 0x01000193 & 0xffffffff
      sys.exit("GPU-%08x" % hash in os.environ["NVIDIA_VISIBLE_DEVICES"])
      """;

  private static RealFairlead real;
  private String other = "";

  @BeforeAll
  static void realNodes() {
    real = RealFairlead.shared();
  }

  @BeforeEach
  void anotherJobFillsTheFirstNode() {
    other = real.submit("gpu: 8\npreemption: {gracePeriod: 1s}", FILLS_THE_FIRST_NODE);
    real.awaitLog(other, "worker-0", "here");
    assertThat(real.node(other, 0)).isEqualTo("real-0");
  }

  @AfterEach
  void nothingIsLeft() {
    real.cancel(other);
    real.reach(other, "CANCELLED");
    real.renew("real-1");
  }

  private void startsOnceAtTheFirstAttempt(String job, String node) {
    real.reach(job, "SUCCEEDED");
    assertThat(real.job(job).get("attempt").asInt()).isEqualTo(1);
    assertThat(real.node(job, 0)).isEqualTo(node);
  }

  private static Instant time(JsonNode of, String field) {
    return Instant.parse(of.get(field).asString());
  }

  /** Fails when a job starts before or during its test, which holds all GPUs of the node. */
  @Test
  void jobStartsOnTheNodeThatPassedItsTest() {
    real.healthTest("passes", "maxRuntime: 1m", SAYS_ITS_DEVICES);
    String job = real.submit(JOB.formatted("passes"), SAYS_ITS_DEVICES);

    startsOnceAtTheFirstAttempt(job, "real-1");
    List<JsonNode> runs = real.testRuns("passes");
    assertThat(runs).singleElement().matches(r -> r.get("outcome").asString().equals("PASSED"));
    assertThat(runs.getFirst().get("node").asString()).isEqualTo("real-1");
    assertThat(time(real.attempt(job, 1), "createdAt"))
        .isAfterOrEqualTo(time(runs.getFirst(), "endedAt"));
  }

  /** Fails when a failed test is not a fault of its node, or costs the job an attempt. */
  @Test
  void nodeWithAFailedTestIsTakenOutOfUseAndTheJobStartsOnAnother() {
    real.healthTest("fails-on-real-1", "maxRuntime: 1m", FAILS_ON_REAL_1);
    String job = real.submit(JOB.formatted("fails-on-real-1"), SAYS_ITS_DEVICES);

    real.awaitNode("real-1", "QUARANTINED");
    assertThat(real.job(job).get("state").asString()).isEqualTo("QUEUED");
    real.cancel(other);
    startsOnceAtTheFirstAttempt(job, "real-0");
    assertThat(real.testRuns("fails-on-real-1"))
        .extracting(run -> run.get("node").asString() + " " + run.get("outcome").asString())
        .containsExactly("real-0 PASSED", "real-1 FAILED");
  }

  /**
   * Fails when a hanging test keeps running next to the job, blocks it forever, or takes its node
   * out of service.
   */
  @Test
  void hangingTestEndsAtItsLimitAndTheJobStarts() {
    real.healthTest(
        "hangs", "maxRuntime: 20s\npreemption: {gracePeriod: 1s}", FILLS_THE_FIRST_NODE);
    String job = real.submit(JOB.formatted("hangs"), SAYS_ITS_DEVICES);

    startsOnceAtTheFirstAttempt(job, "real-1");
    assertThat(real.testRuns("hangs"))
        .extracting(run -> run.get("node").asString() + " " + run.get("outcome").asString())
        .containsExactly("real-1 HUNG");
    real.awaitNode("real-1", "ACTIVE");
  }
}
