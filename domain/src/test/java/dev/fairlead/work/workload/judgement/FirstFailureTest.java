package dev.fairlead.work.workload.judgement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first failure of a gang, when exit codes arrive late and in any order. */
class FirstFailureTest {
  private static final Instant LATER = Watched.START.plusMillis(900);

  @Test
  void earliestEndIsFirstInAnyArrivalOrder() {
    Watched gang = Watched.running(3);
    gang.exits(2, 1, "Error", LATER).judge();
    gang.exits(0, 3, "Error", Watched.START).exits(1, 1, "Error", LATER).judge();

    assertThat(failure(gang).member()).isEqualTo("worker-0");
    assertThat(failure(gang).exitCode()).isEqualTo(3);
  }

  @Test
  void causeReportedTwoSecondsAfterItsVictimsIsStillTheCause() {
    // Fails when a gang's failure is judged after two seconds: a kubelet checks once a second, and
    // its times have no fractions.
    Watched gang = Watched.running(3).exits(1, 1, "Error", Watched.START);
    gang.after(Duration.ofSeconds(2)).judge();
    gang.exits(0, 1, "Error", Watched.START).after(Duration.ofSeconds(1)).judge();
    gang.exits(2, 137, "Error", Watched.START).judge();

    assertThat(gang.attempt().live()).isFalse();
    assertThat(gang.attempt().failure().member()).isEqualTo("worker-2");
  }

  /** Fails when the clock of a cluster decides when a failure is judged: here in a century. */
  @Test
  void fastClockDelaysNoFailureAndKeepsTheOrderOfEnds() {
    Instant ahead = Instant.parse("2150-01-01T00:00:00Z");
    Watched gang = Watched.running(3);
    gang.exits(0, 1, "Error", ahead.plusMillis(500)).exits(1, 3, "Error", ahead);
    assertThat(gang.judge().lookAgainAt()).isEqualTo(Watched.START.plusMillis(4500));
    assertThat(gang.member("worker-0").endedAt()).isEqualTo(Watched.START);

    gang.after(Duration.ofSeconds(5)).judge();

    assertThat(gang.attempt().stop()).isNotNull();
    assertThat(failure(gang).member()).isEqualTo("worker-1");
  }

  @Test
  void deviceFailureOfAMemberPrecedesItsVictims() {
    Watched gang =
        Watched.running(2)
            .exits(0, 1, "Error", Watched.START)
            .exits(1, 1, "UnhealthyGpu GPU-n1-03", LATER);

    assertThat(failure(gang).cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(failure(gang).gpuSerial()).isEqualTo("GPU-n1-03");
    assertThat(failure(gang).message())
        .satisfies(reason("first-failure.ended-gpu-healthy", "worker-1", "n1", "GPU-n1-03"));
  }

  @Test
  void resultLostByTheKubeletIsANodeFaultAndNotExitCode137() {
    Watched gang =
        Watched.running(2)
            .exits(0, 1, "Error", Watched.START)
            .exits(1, 137, "ContainerStatusUnknown", null);

    assertThat(failure(gang).member()).isEqualTo("worker-1");
    assertThat(failure(gang).message())
        .satisfies(
            reason(
                "first-failure.died-node-containerstatusunknown",
                "worker-1",
                "n1",
                "ContainerStatusUnknown"));
  }

  @ParameterizedTest
  @CsvSource({"ContainerStatusUnknown, NODE_FAILURE", "UnhealthyGpu GPU-3, GPU_FAULT"})
  void nodeOrGpuReportedAsTheCauseAfterTheStopIsTheCause(String reason, FailureCause cause) {
    // Fails when the cause is final at the stop: a crashed node reports minutes later, and its job
    // would count as a user error without a retry.
    Watched gang = Watched.running(2).exits(0, 1, "Error").after(Duration.ofSeconds(5));
    gang.judge();
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.USER_ERROR);

    gang.after(Duration.ofMinutes(3)).exits(1, 137, reason, null).judge();

    assertThat(gang.attempt().live()).isFalse();
    assertThat(gang.attempt().failure().cause()).isEqualTo(cause);
    assertThat(gang.attempt().failure().member()).isEqualTo("worker-1");
  }

  @Test
  void outOfMemoryOutranksAnEarlierExitCode() {
    Watched gang =
        Watched.running(2).exits(0, 1, "Error", Watched.START).exits(1, 137, "OOMKilled", LATER);

    assertThat(failure(gang).cause()).isEqualTo(FailureCause.OUT_OF_MEMORY);
    assertThat(failure(gang).member()).isEqualTo("worker-1");
    assertThat(failure(gang).message()).contains("2048 MiB");
  }

  @Test
  void signalOutranksAnEarlierExitCode() {
    Watched gang =
        Watched.running(2).exits(0, 1, "Error", Watched.START).exits(1, 139, "Error", LATER);

    assertThat(failure(gang).exitCode()).isEqualTo(139);
  }

  @Test
  void lostNodeOutranksEveryOtherCause() {
    Watched gang =
        Watched.running(3)
            .exits(0, 137, "OOMKilled", Watched.START)
            .exits(1, 1, "Error", Watched.START)
            .node(2, NodeReports.node("n2").bootId("boot-2"));

    assertThat(failure(gang).cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(failure(gang).node()).isEqualTo("n2");
    assertThat(failure(gang).evidence()).contains("NODE_REBOOTED");
  }

  @Test
  void equalEndTimesAreOrderedByName() {
    Watched gang = Watched.running(2).exits(1, 1, "Error").exits(0, 2, "Error");

    assertThat(failure(gang).member()).isEqualTo("worker-0");
  }

  @Test
  void endWithoutATimestampSortsLast() {
    Watched gang = Watched.running(2).exits(0, 1, "Error", null).exits(1, 2, "Error", LATER);

    assertThat(failure(gang).member()).isEqualTo("worker-1");
  }

  @ParameterizedTest
  @CsvSource({
    "OOMKilled, OUT_OF_MEMORY",
    "Error, USER_ERROR",
    "OutOfcpu, PLACEMENT_CONFLICT",
    "OutOfnvidia.com/gpu, PLACEMENT_CONFLICT",
    "UnexpectedAdmissionError, PLACEMENT_CONFLICT",
    "TopologyAffinityError, PLACEMENT_CONFLICT",
    "NodeAffinity, PLACEMENT_CONFLICT",
    "Evicted, EVICTED",
    "Preempting, EVICTED",
    "DeadlineExceeded, DEADLINE_EXCEEDED",
    "NodeLost, NODE_FAILURE",
    "ContainerStatusUnknown, NODE_FAILURE",
    "Unknown, NODE_FAILURE",
    "UnhealthyGpu GPU-7, GPU_FAULT",
    "NodeShutdown, NODE_FAILURE",
    "ErrImagePull, IMAGE_PULL",
    "ImagePullBackOff, IMAGE_PULL",
    "WorkdirMissing, CONFIGURATION",
    "WorkdirBroken, CONFIGURATION",
    "WorkdirUnreachable, NETWORK",
    "RayUnserved, NETWORK"
  })
  void clusterMessageIsACause(String reason, FailureCause cause) {
    Watched one = Watched.running(1).exits(0, 137, reason);

    assertThat(failure(one).cause()).isEqualTo(cause);
    assertThat(failure(one).evidence()).contains(reason);
  }

  @Test
  void failedSetupNamesItsCommand() {
    Watched one = Watched.running(1).exits(0, 127, "SetupFailed 2");

    assertThat(failure(one).cause()).isEqualTo(FailureCause.USER_ERROR);
    assertThat(failure(one).message())
        .startsWith("worker-0 on ")
        .satisfies(reason("first-failure.failed-setup-command-ended", 2, 127));
  }

  @Test
  void aFailedInitContainerIsNamed() {
    Watched one = Watched.running(1).exits(0, 137, "InitFailed fetch 4");

    assertThat(failure(one).cause()).isEqualTo(FailureCause.USER_ERROR);
    assertThat(failure(one).message())
        .satisfies(reason("first-failure.init-container-fetch-ended", 4));
  }

  private static Failure failure(Watched watched) {
    watched.after(Duration.ofSeconds(5)).judge();
    return watched.attempt().failure();
  }
}
