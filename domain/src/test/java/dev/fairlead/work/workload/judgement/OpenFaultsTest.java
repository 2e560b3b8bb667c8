package dev.fairlead.work.workload.judgement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.JobEvent;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.Retry;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.workload.ShownPods;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Fails when a fault stops unaffected attempts, or an affected one continues or uses a retry. */
class OpenFaultsTest {
  @Test
  void attemptOnAFaultyNodeIsStoppedWithTheReason() {
    Watched gang = Watched.running(2).holdsGpu(1).sick(1, FaultScope.NODE, "GPU-abc");
    gang.judge();

    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.ISOLATION);
    gang.exits(0, 143, "Error").exits(1, 143, "Error").judge();
    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    Failure failure = gang.attempt().failure();
    assertThat(failure.cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(failure.message())
        .satisfies(reason("open-faults.xid-gpu-fallen-off", 79, 1653922, "n1"));
    assertThat(failure.node()).isEqualTo("n1");
    assertThat(failure.gpuSerial()).isEqualTo("1653922");
  }

  @Test
  void ownerReadsTheLostWork() {
    // Fails when work before a checkpoint counts as lost, or the GPUs are not counted.
    Watched gang = Watched.running(2).holdsGpu(0).holdsGpu(1).sick(1, FaultScope.NODE, "GPU-abc");
    gang.after(Duration.ofSeconds(421)).judge();
    assertThat(gang.attempt().failure().message())
        .satisfies(reason("open-faults.node-lost-gpu-minutes", "n1", 15));

    Watched saved = Watched.running(1).holdsGpu(0).after(Duration.ofMinutes(31)).checkpoints();
    saved.after(Duration.ofMinutes(5)).sick(0, FaultScope.NODE, "GPU-abc").judge();
    assertThat(saved.attempt().failure().message())
        .satisfies(reason("open-faults.node-lost-gpu-minutes-2", "n0", 5, "2030-01-01T00:31:00Z"));
  }

  @Test
  void unhealthyGpuStopsOnlyItsKnownHolder() {
    // Fails when the scope of the fault is ignored, or an unknown holder is guessed.
    Watched named = Watched.running(1).holdsGpu(0).sick(0, FaultScope.GPU, "GPU-0");
    named.judge();
    assertThat(named.state()).isEqualTo(AttemptState.STOPPING);

    Watched other = Watched.running(1).holdsGpu(0).sick(0, FaultScope.GPU, "GPU-of-another");
    other.judge();
    assertThat(other.state()).isEqualTo(AttemptState.RUNNING);

    Watched whole = Watched.running(1).holdsGpu(0).node(0, NodeReports.node("n0").gpus(1));
    whole.sick(0, FaultScope.GPU, "GPU-of-its-node").judge();
    assertThat(whole.state()).as("it holds all there are").isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void memberWithoutAGpuOfAnUnhealthyNodeKeepsRunning() {
    Watched plain = Watched.running(1).sick(0, FaultScope.NODE, "GPU-0");
    plain.judge();
    assertThat(plain.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void endExplainedByAnIncidentIsNotChargedToTheJob() {
    // Fails when exit codes caused by the fault count as failures of the program.
    Watched one =
        Watched.running(1).holdsGpu(0).exits(0, 1, "Error").sick(0, FaultScope.NODE, null);
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
    assertThat(one.attempt().failure().explained()).isTrue();
  }

  @Test
  void successfulWorkIsFinal() {
    Watched one = Watched.running(1).holdsGpu(0).succeeds(0).sick(0, FaultScope.NODE, null);
    one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void timedOutAttemptIsNotExplainedByALaterFault() {
    // Fails when a job that stops at its deadline gets another run without spending a retry.
    Watched one = Watched.running(1).holdsGpu(0).ordered(StopCause.DEADLINE);
    one.exits(0, 143, "Error").sick(0, FaultScope.NODE, null).judge();
    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
    assertThat(one.attempt().failure().explained()).isFalse();
  }

  @Test
  void countedEventLeavesTheDecisionInputUnchanged() {
    // Fails when each event of a burst costs a check of all attempts of the cluster.
    Incident first = ShownPods.incident(new NodeId(new UUID(1, 1)), "n1", FaultScope.NODE, "GPU-1");
    HealthEvent event =
        new HealthEvent("e", first.openedAt().plusSeconds(1), "n1", "GPU-1", null, 79, "");
    Judgement same =
        new Judgement(Judgement.Verdict.FATAL, FaultScope.NODE, first.step(), first.cause());
    assertThat(first.joined(event, same, false)).isNotEqualTo(first);
    assertThat(OpenFaults.of(List.of(first.joined(event, same, false)), Set.of()))
        .isEqualTo(OpenFaults.of(List.of(first), Set.of()));
  }

  @Test
  void endExplainedByAnIncidentSpendsNoRetry() {
    // Fails when a device spends the last retry of a job.
    RetryPolicy none = new RetryPolicy(1, List.of());
    Failure sick = Failure.ofIncident("XID 79", 1, "worker-0", "n1", null, "inc_1");
    JobStatus run = Watched.running(1).job().run();

    assertThat(Retry.after(none, sick, AttemptState.FAILED, run, Watched.START))
        .isEqualTo(new JobEvent.Requeued(sick, false, null));
    Failure own = Failure.of(FailureCause.GPU_FAULT, "XID 79", 1);
    assertThat(Retry.after(none, own, AttemptState.FAILED, run, Watched.START))
        .isInstanceOf(JobEvent.Failed.class);
  }
}
