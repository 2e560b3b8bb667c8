package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Complete job lifecycles, from the submit to the release of their resources. */
class JobJourneyTest {
  private static final FleetPool SIXTEEN_H100 = new FleetPool(16, 8, "H100", 2, 2);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", SIXTEEN_H100);

  private static Specs job(String name) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "5s");
  }

  @Test
  void aJobRunsAndGivesEverythingBack() {
    Job job = fairlead.submit(job("hello"));
    fairlead.until(job, JobState.RUNNING);
    assertThat(used()).isPositive();
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(used()).isZero();
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusSeconds(5));
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
    assertThat(fairlead.attempts(job)).singleElement().matches(a -> a.retiredAt() != null);
  }

  /**
   * Fails when a successful attempt is retired immediately: its output is deleted with its pods.
   */
  @Test
  void succeededJobRetainsItsPodForOutputAndHoldsNoQuota() {
    Job job = fairlead.submit(job("short").annotation("sim.fairlead.dev/run-for", "1s"));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().minusSeconds(15));
    assertThat(used()).isZero();
    assertThat(eu.workloadsSince(0).workloads()).hasSize(1);
    assertThat(fairlead.attempts(job)).singleElement().matches(a -> a.retiredAt() == null);
  }

  /** Fails when every pass reads retained attempts. */
  @Test
  void attemptRetainedForItsOutputCostsNothing() {
    Job job = fairlead.submit(job("done").annotation("sim.fairlead.dev/run-for", "1s"));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofSeconds(5));
    int before = fairlead.reads();

    fairlead.pass(Duration.ofMinutes(1));

    assertThat(fairlead.reads())
        .as("plans of namespaces alone, twice a minute")
        .isEqualTo(before + 2);
    assertThat(fairlead.attempts(job)).singleElement().matches(a -> a.retiredAt() == null);
  }

  /** Fails when it waits until the time when it would have been checked while it was live. */
  @Test
  void externallyEndedAttemptIsCleanedUpImmediately() {
    Job job = fairlead.submit(job("slow").annotation("sim.fairlead.dev/start-after", "1h"));
    fairlead.until(job, JobState.STARTING);
    fairlead.pass(Duration.ofSeconds(5));

    fairlead.endElsewhere(job);
    fairlead.pass(Duration.ofSeconds(2));

    assertThat(fairlead.attempts(job)).first().matches(a -> a.retiredAt() != null);
  }

  @Test
  void aGangStartsWholeAndEndsWhole() {
    Job job = fairlead.submit(job("gang").workers(4).gpus(8));
    fairlead.until(job, JobState.RUNNING);
    assertThat(fairlead.attempts(job).getFirst().members())
        .extracting(Member::nodeName)
        .doesNotHaveDuplicates();
    fairlead.until(job, JobState.SUCCEEDED);
  }

  @Test
  void failedMemberEndsItsGangWithItsCause() {
    Job job =
        fairlead.submit(
            job("broken")
                .workers(4)
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/exit-code", "3")
                .annotation("sim.fairlead.dev/members", "worker-2"));
    fairlead.until(job, JobState.FAILED);
    assertThat(fairlead.job(job).run().failure())
        .satisfies(f -> {
          assertThat(f.cause()).isEqualTo(FailureCause.USER_ERROR);
          assertThat(f.member()).isEqualTo("worker-2");
          assertThat(f.exitCode()).isEqualTo(3);
        });
  }

  @Test
  void aRebootedNodeIsEvidenceAndTheNextAttemptSucceeds() {
    Job job = fairlead.submit(job("unlucky").workers(2).gpus(8));
    fairlead.until(job, JobState.RUNNING);
    eu.rebootNode(fairlead.attempts(job).getFirst().members().getFirst().nodeName());
    fairlead.until(job, JobState.SUCCEEDED);
    List<Attempt> attempts = fairlead.attempts(job);
    assertThat(attempts)
        .extracting(Attempt::state)
        .containsExactly(AttemptState.FAILED, AttemptState.SUCCEEDED);
    assertThat(attempts.getFirst().failure()).matches(f -> f.cause() == FailureCause.NODE_FAILURE);
  }

  @Test
  void silentNodeKeepsItsJobAndNothingRunsTwice() {
    Job job = fairlead.submit(job("silent").annotation("sim.fairlead.dev/run-for", "60s"));
    fairlead.until(job, JobState.RUNNING);
    String node = fairlead.attempts(job).getFirst().members().getFirst().nodeName();
    eu.loseNode(node);
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(a -> a.state() == AttemptState.UNKNOWN);
    eu.returnNode(node);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  @Test
  void aCancelledJobNeverRunsAgain() {
    Job queued = fairlead.submit(job("never").gpus(8).workers(17));
    fairlead.pass(Duration.ofSeconds(1));
    fairlead.commands().cancel(fairlead.ana(), queued.id());
    assertThat(fairlead.state(queued)).isEqualTo(JobState.CANCELLED);
    Job running = fairlead.submit(job("running").annotation("sim.fairlead.dev/run-for", "1h"));
    fairlead.until(running, JobState.RUNNING);
    fairlead.commands().cancel(fairlead.ana(), running.id());
    assertThat(fairlead.state(running)).isEqualTo(JobState.CANCELLING);
    fairlead.until(running, JobState.CANCELLED);
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(used()).isZero();
    assertThat(fairlead.attempts(queued)).isEmpty();
  }

  @Test
  void aCancelBetweenPlanAndLaunchLeavesNothing() {
    Job job = fairlead.submit(job("quick"));
    fairlead.pass(Duration.ofSeconds(1));
    Job late = fairlead.submit(job("late"));
    fairlead.scheduler().tick();
    assertThat(fairlead.state(late)).isEqualTo(JobState.ADMITTED);
    fairlead.commands().cancel(fairlead.ana(), late.id());
    fairlead.until(late, JobState.CANCELLED);
    assertThat(fairlead.attempts(late)).singleElement().matches(a -> a.startedAt() == null);
    fairlead.until(job, JobState.SUCCEEDED);
  }

  @Test
  void arrayRunsAFewElementsConcurrentlyAndEndsWithTheLast() {
    Job job = fairlead.submit(job("sweep").array("0-19%4"));
    int most = 0;
    for (int i = 0; i < 1200 && !fairlead.job(job).run().ended(); i++) {
      fairlead.pass(Duration.ofMillis(100));
      most = Math.max(most, fairlead.stores().jobs().liveAttempts(job.id()).size());
    }
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(most).isEqualTo(4);
    assertThat(fairlead.attempts(job)).hasSize(20);
  }

  @Test
  void aWaitingJobIsExplainedAndStartsWhenThereIsRoom() {
    Job first = fairlead.submit(job("first").workers(16).gpus(8));
    fairlead.until(first, JobState.RUNNING);
    Job second = fairlead.submit(job("second").gpus(8));
    fairlead.pass(Duration.ofSeconds(1));
    assertThat(fairlead.queries().job(fairlead.ana(), second.id()).pending())
        .satisfies(p -> assertThat(p.explanation().first().message()).isNotBlank());
    fairlead.until(second, JobState.SUCCEEDED);
  }

  @Test
  void anotherProcessResumesAfterAKill() {
    Job job = fairlead.submit(job("handed-over").annotation("sim.fairlead.dev/run-for", "20s"));
    fairlead.until(job, JobState.RUNNING);
    InMemoryFairlead other = fairlead.replica("two");
    other.until(job, JobState.SUCCEEDED);
    assertThat(other.attempts(job)).hasSize(1);
    Job next = other.submit(job("next"));
    other.until(next, JobState.SUCCEEDED);
  }

  @Test
  void terminatingProcessHandsOverImmediately() {
    Job job = fairlead.submit(job("soon"));
    fairlead.pass(Duration.ofSeconds(1));
    fairlead.shutDown();
    InMemoryFairlead other = fairlead.replica("two");
    Job next = other.submit(job("next"));
    other.pass(Duration.ofMillis(500));
    assertThat(other.state(next)).isIn(JobState.STARTING, JobState.RUNNING);
    other.until(job, JobState.SUCCEEDED);
  }

  @Test
  void unavailableClusterKeepsItsJobsAndOthersContinue() {
    Job here = fairlead.submit(job("here").annotation("sim.fairlead.dev/run-for", "30s"));
    fairlead.until(here, JobState.RUNNING);
    SimulatedCluster us = fairlead.register("us-2", new FleetPool(2, 8, "H200", 1, 1));
    eu.partition(true);
    fairlead.pass(Duration.ofMinutes(2));
    assertThat(fairlead.state(here)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.attempts(here))
        .singleElement()
        .matches(a -> a.state() == AttemptState.UNKNOWN);

    Job elsewhere = fairlead.submit(job("elsewhere"));
    fairlead.until(elsewhere, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(elsewhere).getFirst().members().getFirst().nodeName())
        .startsWith("us-2");
    eu.partition(false);
    fairlead.until(here, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(here)).hasSize(1);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded());
    assertThat(us.workloadsSince(0).workloads()).isEmpty();
  }

  /** Fails when a failed attempt is retired immediately: its output would be lost. */
  @Test
  void outputOfAFailedJobIsReadableForAWhile() throws Exception {
    Job job = fairlead.submit(job("broken").annotation("sim.fairlead.dev/outcome", "fail"));
    fairlead.until(job, JobState.FAILED);
    fairlead.pass(Duration.ofMinutes(9));
    Attempt failed = fairlead.attempts(job).getFirst();
    MemberKey member = MemberKey.of(failed.members().getFirst());
    LogRequest request = new LogRequest(failed.id(), "fairlead-project", member, null, null, false);
    assertThat(eu.logs(request).readAllBytes()).isNotEmpty();
    assertThat(used()).isZero();

    fairlead.pass(Duration.ofMinutes(2));
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
    assertThat(fairlead.attempts(job).getFirst().retiredAt()).isNotNull();
  }

  private long used() {
    return fairlead.stores().quotas().uses(fairlead.ana().tenant()).stream()
        .mapToLong(QuotaUse::used)
        .sum();
  }
}
