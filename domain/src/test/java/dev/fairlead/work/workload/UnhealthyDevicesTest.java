package dev.fairlead.work.workload;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.judgement.UnhealthyDevices;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device plugin reports a GPU as unhealthy while its member runs. */
class UnhealthyDevicesTest {
  private static final String SICK = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
  private static final Duration SAVES = Duration.ofMinutes(2);

  private static Watched gang(Duration checkpointTimeout) {
    return Watched.running(Specs.job("train").workers(2).checkpointTimeout(checkpointTimeout));
  }

  /** Fails when the program is stopped before it could save its work. */
  @Test
  void holderMayCheckpointBeforeItMoves() {
    Watched holder = gang(SAVES).runsOnUnhealthy(1, SICK);
    holder.judge();

    Attempt.StopOrder stop = holder.attempt().stop();
    assertThat(stop.cause()).isEqualTo(StopCause.DRAIN);
    assertThat(holder.attempt().awaitedCheckpoint().until()).isEqualTo(Watched.START.plus(SAVES));

    holder.asks().succeeds(0).succeeds(1).judge();

    assertThat(holder.state()).isEqualTo(AttemptState.PREEMPTED);
    Failure failure = holder.attempt().failure();
    assertThat(failure.cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(failure.message())
        .satisfies(reason("unhealthy-devices.gpu-of-member", "n1", SICK, "worker-1"));
    assertThat(failure.node()).isEqualTo("n1");
    assertThat(failure.gpuSerial()).isEqualTo(SICK);
  }

  @Test
  void aMemberOnAHealthyGpuIsNotMoved() {
    Watched other = gang(SAVES);
    other.judge();
    assertThat(other.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a failed member still gets time to save its work. */
  @Test
  void failureOfAMemberTakesPrecedenceOverUnhealthyDevices() {
    Watched crashed = gang(SAVES).runsOnUnhealthy(1, SICK).exits(0, 1, "Error");
    crashed.judge();
    assertThat(crashed.state()).isEqualTo(AttemptState.RUNNING);
    crashed.after(Duration.ofMinutes(5)).judge();
    assertThat(crashed.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
  }

  /** Fails when a device plugin that reports every GPU as unhealthy stops all jobs of a cluster. */
  @Test
  void noMemberMovesWhileTooManyNodesHaveUnhealthyGpus() {
    Watched holder = gang(SAVES).runsOnUnhealthy(1, SICK).pluginDoubted(true);
    holder.judge();
    assertThat(holder.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(holder.member("worker-1").reason()).isEqualTo("UnhealthyGpu " + SICK);
  }

  /** Fails when a device plugin that changes its report all the time moves a job each time. */
  @Test
  void jobMovesAfterThreeConsecutiveFaultsOnceItsAttemptRanForAnHour() {
    Watched twice = gang(SAVES).afterFaults(2).runsOnUnhealthy(1, SICK);
    twice.judge();
    assertThat(twice.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(twice.attempt().failure().faulty()).as("the move counts as a fault").isTrue();

    Watched often = gang(SAVES).afterFaults(3).runsOnUnhealthy(1, SICK);
    Instant hour = Watched.START.plus(JobStatus.RAN_LONG);
    assertThat(often.judge().lookAgainAt()).isEqualTo(hour);
    assertThat(often.state()).isEqualTo(AttemptState.RUNNING);
    often.after(JobStatus.RAN_LONG).judge();
    assertThat(often.state()).isEqualTo(AttemptState.STOPPING);
  }

  /**
   * Fails when a process that takes over a cluster moves all jobs that the circuit breaker
   * protects, because it has not yet read the other reports.
   */
  @Test
  void storedReasonMovesNoMemberBeforeTheClusterReportsItAgain() {
    Watched kept = gang(SAVES).runsOnUnhealthy(1, SICK).pluginDoubted(true);
    kept.judge();
    kept.pluginDoubted(false).unanswered(1).judge();
    assertThat(kept.member("worker-1").reason()).isEqualTo("UnhealthyGpu " + SICK);
    assertThat(kept.state()).isEqualTo(AttemptState.RUNNING);
    kept.silent(true).judge();
    assertThat(kept.state()).isEqualTo(AttemptState.UNKNOWN);
    kept.silent(false).answered().runsOnUnhealthy(1, SICK).judge();
    kept.judge();
    assertThat(kept.state()).isEqualTo(AttemptState.STOPPING);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, false", "2, 1, false", "2, 2, true", "8, 2, false", "8, 3, true"})
  void limitEqualsThatOfIncidentsInACluster(int all, int unhealthy, boolean tooMany) {
    SortedMap<String, NodeReport> nodes = new TreeMap<>();
    List<ObservedWorkload> workloads = new ArrayList<>();
    Watched healthy = Watched.running(all);
    Watched members = Watched.running(all);
    for (int i = 0; i < all; i++) {
      nodes.put("n" + i, NodeReports.node("n" + i).build());
      if (i < unhealthy) {
        members.runsOnUnhealthy(i, SICK);
      }
    }
    nodes.put("login", NodeReports.node("login").gpus(0).build());
    workloads.add(healthy.observed());
    workloads.add(members.observed());
    assertThat(UnhealthyDevices.tooMany(workloads, nodes)).isEqualTo(tooMany);
    assertThat(UnhealthyDevices.in(healthy.observed())).isFalse();
    assertThat(UnhealthyDevices.in(members.observed())).isTrue();
  }
}
