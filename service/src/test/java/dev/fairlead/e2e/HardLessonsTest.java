package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Failure scenarios known from other systems, one test each. */
class HardLessonsTest {
  /** In each step of five seconds: 10,000 a minute. */
  private static final int A_TWELFTH_OF_10000 = 833;

  private static final FleetPool TWO_NODES = new FleetPool(2, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", TWO_NODES);

  private static Specs job(String name, String runFor) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", runFor);
  }

  private Attempt only(Job job) {
    return fairlead.attempts(job).getFirst();
  }

  @Test
  void afterARestartNoFinishedJobIsAdmittedAgain() {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      jobs.add(fairlead.submit(job("done-" + i, "1s")));
    }
    jobs.forEach(job -> fairlead.until(job, JobState.SUCCEEDED));
    fairlead.shutDown();
    InMemoryFairlead restarted = fairlead.replica("two");
    restarted.pass(Duration.ofMinutes(1));
    assertThat(jobs)
        .allSatisfy(job -> {
          assertThat(restarted.state(job)).isEqualTo(JobState.SUCCEEDED);
          assertThat(restarted.attempts(job)).hasSize(1);
        });
  }

  /** Fails when the allocation of a pod on a silent node is released before its death is proven. */
  @Test
  void podsTerminatingForAnHourKeepTheirCapacity() {
    Job first = fairlead.submit(job("first", "5h").gpus(8).workers(2));
    fairlead.until(first, JobState.RUNNING);
    String node = only(first).members().getFirst().nodeName();
    eu.loseNode(node);
    fairlead.commands().cancel(fairlead.ana(), first.id());
    Job second = fairlead.submit(job("second", "1s").gpus(8).workers(2));
    for (int passed = 0; passed < 3600; passed += 10) {
      fairlead.stores().clock().advance(Duration.ofSeconds(10));
      fairlead.turn();
    }
    assertThat(fairlead.state(first)).isEqualTo(JobState.CANCELLING);
    assertThat(fairlead.attempts(second)).isEmpty();
    eu.returnNode(node);
    fairlead.until(first, JobState.CANCELLED);
    fairlead.until(second, JobState.SUCCEEDED);
  }

  @Test
  void foreignObjectWithOurNameIsLeftAloneAndReportedByTheJob() {
    fairlead.until(fairlead.submit(job("warm", "1s")), JobState.SUCCEEDED);
    Job job = fairlead.submit(job("taken", "1s"));
    fairlead.scheduler().tick();
    String name = ObjectNames.pod(only(job).id(), MemberKey.of(only(job).members().getFirst()));
    eu.foreignObject(name);
    fairlead.until(job, JobState.FAILED);
    assertThat(fairlead.job(job).run().failure())
        .matches(f -> f.cause() == FailureCause.PLATFORM && f.message().contains(name));
    assertThat(eu.hasForeignObject(name)).isTrue();
  }

  @Test
  void aPodDeletedByHandIsAnEvictionAndTheJobRunsAgain() {
    Job job = fairlead.submit(job("deleted", "60s"));
    fairlead.until(job, JobState.RUNNING);
    eu.deletePod(only(job).id(), MemberKey.of(only(job).members().getFirst()));
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job))
        .extracting(Attempt::state)
        .containsExactly(AttemptState.EVICTED, AttemptState.SUCCEEDED);
  }

  @Test
  void twoGangsOfTheSizeOfTheClusterRunOneAfterTheOther() {
    Job first = fairlead.submit(job("first", "30s").gpus(8).workers(2));
    Job second = fairlead.submit(job("second", "30s").gpus(8).workers(2));
    fairlead.until(first, JobState.RUNNING);
    assertThat(fairlead.attempts(second)).isEmpty();
    fairlead.until(second, JobState.SUCCEEDED);
    assertThat(fairlead.state(first)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aGangOfTwentyWithRoomForEightStartsNone() {
    Job gang = fairlead.submit(job("twenty", "1s").gpus(2).workers(20));
    fairlead.pass(Duration.ofMinutes(2));
    assertThat(fairlead.attempts(gang)).isEmpty();
    assertThat(eu.processes()).isEmpty();
  }

  @Test
  void aJobLongerThanAnyLeaseHasOneAttempt() {
    Job job = fairlead.submit(job("long", "20m"));
    fairlead.until(job, JobState.RUNNING);
    fairlead.pass(Duration.ofMinutes(12));
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  @Test
  void onlyOneOfTwoSupervisorsActsOnACluster() {
    InMemoryFairlead other = fairlead.replica("two");
    Job job = fairlead.submit(job("once", "10s").gpus(8).workers(2));
    for (int i = 0; i < 300; i++) {
      fairlead.pass(Duration.ofMillis(100));
      other.turn();
      assertThat(eu.processes().size()).isIn(0, 1, 2);
    }
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  @Test
  void processFrozenForAMinuteRejoinsAndChangesNothing() {
    InMemoryFairlead other = fairlead.replica("two");
    Job job = fairlead.submit(job("running", "5m"));
    fairlead.until(job, JobState.RUNNING);
    other.pass(Duration.ofMinutes(1));
    fairlead.pass(Duration.ofSeconds(10));
    Job next = fairlead.submit(job("next", "1s"));
    other.until(next, JobState.SUCCEEDED);
    other.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  @Test
  void aShortReconnectEvictsNothing() {
    Job job = fairlead.submit(job("kept", "3m"));
    fairlead.until(job, JobState.RUNNING);
    eu.partition(true);
    fairlead.pass(Duration.ofSeconds(40));
    eu.partition(false);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  @Test
  void headForOneModelDoesNotBlockTheNextForAnother() {
    fairlead.register("eu-2", new FleetPool(1, 8, "A100-80GB", 1, 1));
    Job full = fairlead.submit(job("full", "10m").gpu(GpuRequest.whole(8, "H100")).workers(2));
    fairlead.until(full, JobState.RUNNING);
    Job head = fairlead.submit(job("head", "1s").gpu(GpuRequest.whole(8, "H100")));
    Job next = fairlead.submit(job("next", "1s").gpu(GpuRequest.whole(8, "A100-80GB")));
    fairlead.until(next, JobState.SUCCEEDED);
    assertThat(fairlead.state(head)).isEqualTo(JobState.QUEUED);
  }

  @Test
  void foreignPodsThatFillANodeBetweenPlanAndLaunchCostNoBudget() {
    Job warm = fairlead.submit(job("warm", "1s"));
    fairlead.until(warm, JobState.SUCCEEDED);
    Job job = fairlead.submit(job("late", "1s").cpuMilli(8_000));
    fairlead.scheduler().tick();
    String node = only(job).members().getFirst().nodeName();
    long all = eu.inventory().nodes().getFirst().allocatable().cpuMilli();
    eu.foreignPod(node, ResourceVector.of(all - 1000, 0, 0, 1));
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSizeGreaterThan(1);
    assertThat(fairlead.job(job).run().failures()).isZero();
  }

  @Test
  void sharesOfQuartersFillEachGpuWithFour() {
    for (int i = 0; i < 64; i++) {
      fairlead.submit(job("quarter-" + i, "10m").gpu(GpuRequest.fraction(250)));
    }
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(eu.processes()).hasSize(64);
    assertThat(fairlead.stores().inventory().nodes(null))
        .flatExtracting(node -> node.gpus())
        .allMatch(gpu -> gpu.allocatedMilli() == 1000);
  }

  /** Fails when an end that is ahead of the clock is awaited. */
  @Test
  void podsRetainedForTheirOutputAreDeletedAfterTheClockIsSetBack() {
    Job job = fairlead.submit(job("done", "1s"));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.stepClock(Duration.ofHours(-3));
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(only(job).retiredAt()).isNotNull();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
  }

  private static GpuRequest memory(long mebibytes, String model) {
    return new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, mebibytes, null, List.of(model), 0);
  }

  private long running(String prefix) {
    return fairlead.stores().jobs().active().stream()
        .filter(job -> job.name().startsWith(prefix) && job.state() == JobState.RUNNING)
        .count();
  }

  @Test
  void gpuOf24GibRunsTwoOfThreeSharesOfTwelve() {
    fairlead.register("eu-2", new FleetPool(1, 1, "A30", 1, 1));
    for (int i = 0; i < 3; i++) {
      fairlead.submit(job("half-" + i, "10m").gpu(memory(12 * 1024, "A30")));
    }
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(running("half-")).isEqualTo(2);
  }

  @Test
  void gpuOf46068MibRunsSharesOfTwoThousandMibUpToItsMemory() {
    fairlead.register("eu-2", new FleetPool(1, 1, "L40S", 1, 1));
    for (int i = 0; i < 24; i++) {
      fairlead.submit(job("small-" + i, "10m").gpu(memory(2_000, "L40S")));
    }
    fairlead.pass(Duration.ofSeconds(30));
    // each share is 44 thousandths, rounded up, so 23 shares exceed the device
    assertThat(running("small-")).isEqualTo(22);
  }

  @Test
  void fractionsAndWholeGpusShareOneLedger() {
    Job part = fairlead.submit(job("part", "10m").gpu(GpuRequest.fraction(500)));
    fairlead.until(part, JobState.RUNNING);
    Job all = fairlead.submit(job("all", "1s").gpus(8).workers(2));
    Job rest = fairlead.submit(job("rest", "1s").gpus(7));
    fairlead.until(rest, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(all)).isEmpty();
    fairlead.commands().cancel(fairlead.ana(), part.id());
    fairlead.until(all, JobState.SUCCEEDED);
  }

  @Tag(Figure.TAG)
  @Test
  void afterManyCreatesAndDeletesTheUseEqualsTheLiveSet() {
    int rounds = Figure.times(20, 120);
    int jobs = Figure.asked() ? A_TWELFTH_OF_10000 : 50;
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < jobs; i++) {
        Job job = fairlead.submit(job("round-" + round + "-" + i, i % 2 == 0 ? "1s" : "10m"));
        if (i % 3 == 0) {
          fairlead.commands().cancel(fairlead.ana(), job.id());
        }
      }
      fairlead.pass(Duration.ofSeconds(5));
      assertThat(fairlead.stores().counters().compare()).isEmpty();
      fairlead
          .stores()
          .jobs()
          .active()
          .forEach(job -> fairlead.commands().cancel(fairlead.ana(), job.id()));
    }
    fairlead.pass(Duration.ofMinutes(2));
    assertThat(fairlead.stores().quotas().allUses()).isEmpty();
    assertThat(fairlead.stores().jobs().live()).isEmpty();
    Figure.seen("creates and deletes", rounds * jobs + " in " + rounds * 5 + " s: no drift");
  }

  /** The cluster is lost permanently: its own deadline has ended its attempts. */
  @Test
  void deadlineFreesTheJobIfTheRemoteStateIsLost() {
    Job job =
        fairlead.submit(
            job("lost", "20s")
                .maxRuntime(Duration.ofMinutes(1))
                .onUnreachable(OnUnreachable.AFTER_DEADLINE));
    fairlead.until(job, JobState.RUNNING);
    eu.partition(true);
    fairlead.register("eu-2", TWO_NODES);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job))
        .extracting(Attempt::state)
        .containsExactly(AttemptState.LOST, AttemptState.SUCCEEDED);
    assertThat(fairlead.stores().counters().compare()).isEmpty();
  }

  /** Fails when a deadline counts as evidence: the kubelet that enforces it may be dead. */
  @Test
  void waitingJobDoesNotStartWhileADeadKubeletLeavesItsProcessRunning() {
    Job job =
        fairlead.submit(
            job("waits", "20m")
                .maxRuntime(Duration.ofMinutes(1))
                .onUnreachable(OnUnreachable.WAIT));
    loseKubelet(job);

    fairlead.pass(Duration.ofMinutes(15));

    assertThat(fairlead.attempts(job)).hasSize(1);
    assertThat(eu.processes()).hasSize(1);
  }

  /** The owner permits this with AFTER_DEADLINE, which is not evidence. */
  @Test
  void jobAbandonedAfterItsDeadlineMayOverlapWithSuchAProcess() {
    Job job =
        fairlead.submit(
            job("given-up", "20m")
                .maxRuntime(Duration.ofMinutes(1))
                .onUnreachable(OnUnreachable.AFTER_DEADLINE));
    loseKubelet(job);

    fairlead.pass(Duration.ofMinutes(3));

    Attempt first = fairlead.attempts(job).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.LOST);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.CLUSTER_LOST);
    assertThat(fairlead.attempts(job)).hasSizeGreaterThan(1);
    assertThat(eu.overdue()).hasSize(1);
  }

  private void loseKubelet(Job job) {
    fairlead.until(job, JobState.RUNNING);
    eu.killKubelet(fairlead.attempts(job).getFirst().members().getFirst().nodeName());
  }
}
