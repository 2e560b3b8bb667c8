package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Known failures of other systems: late, repeated and lost reports, and restarts. */
class LateAndLostTest {
  private static final FleetPool TWO_NODES = new FleetPool(2, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  private static Specs job(String name, String runFor) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", runFor);
  }

  private SimulatedCluster cluster() {
    return fairlead.register("eu-1", TWO_NODES);
  }

  private Attempt only(Job job) {
    return fairlead.attempts(job).getFirst();
  }

  /** Views of a cluster that are ten seconds old. */
  private ClusterGateway late(ClusterGateway real) {
    Deque<WorkloadView> views = new ArrayDeque<>();
    Deque<Instant> times = new ArrayDeque<>();
    return Between.on(
        real,
        (method, arguments, call) -> {
          if (!method.getName().equals("workloadsSince")) {
            return call.now();
          }
          views.addLast(real.workloadsSince(0));
          times.addLast(fairlead.stores().clock().instant());
          Instant shown = fairlead.stores().clock().instant().minusSeconds(10);
          while (times.size() > 1 && times.getFirst().isBefore(shown)) {
            times.removeFirst();
            views.removeFirst();
          }
          return views.getFirst();
        });
  }

  /** Fails when an attempt is created again because its objects are not seen yet. */
  @Test
  void cacheTenSecondsBehindOurWriteStartsNothingTwice() {
    fairlead.reachThrough(this::late);
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("once", "30s").gpus(8).workers(2));
    for (int i = 0; i < 900 && fairlead.state(job) != JobState.SUCCEEDED; i++) {
      fairlead.pass(Duration.ofMillis(100));
      assertThat(eu.processes().size()).isLessThanOrEqualTo(2);
    }
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  /** Fails when a launch without a response causes a new attempt. */
  @Test
  void failedBindThatIsRetriedHasOneAllocation() {
    int[] refusals = {5};
    fairlead.reachThrough(real ->
        Between.on(
            real,
            (method, arguments, call) ->
                method.getName().equals("apply")
                        && arguments[0] instanceof WorkloadAction.Launch
                        && refusals[0]-- > 0
                    ? new ActionOutcome.Unavailable("no answer")
                    : call.now()));
    cluster();
    Job job = fairlead.submit(job("bound", "30s"));
    fairlead.until(job, JobState.RUNNING);
    assertThat(refusals[0]).isNegative();
    assertThat(fairlead.attempts(job)).hasSize(1);
    assertThat(fairlead.stores().inventory().nodes(null))
        .flatExtracting(node -> node.gpus())
        .filteredOn(gpu -> gpu.allocatedMilli() > 0)
        .hasSize(1);
  }

  /** Fails when a lost response counts as a refusal instead of being read again. */
  @Test
  void writeThatConflictsAfterItsEffectIsAdopted() {
    boolean[] lost = {true};
    fairlead.reachThrough(real ->
        Between.on(
            real,
            (method, arguments, call) -> {
              Object answer = call.now();
              boolean launch =
                  method.getName().equals("apply") && arguments[0] instanceof WorkloadAction.Launch;
              if (launch && lost[0]) {
                lost[0] = false;
                return new ActionOutcome.Unavailable("the answer was lost");
              }
              return answer;
            }));
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("adopted", "20s"));
    fairlead.until(job, JobState.RUNNING);
    assertThat(eu.processes()).hasSize(1);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  /**
   * Fails when the next process launches attempts that the last one left running before it checks
   * them.
   */
  @Test
  void lateCompletionCreatesNothing() {
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("done", "20s"));
    fairlead.until(job, JobState.RUNNING);
    fairlead.shutDown();
    fairlead.stores().clock().advance(Duration.ofMinutes(10));
    InMemoryFairlead next = fairlead.replica("two");
    for (int i = 0; i < 100; i++) {
      next.pass(Duration.ofMillis(100));
      assertThat(eu.processes()).isEmpty();
    }
    assertThat(next.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(next.attempts(job)).hasSize(1);
  }

  /** A pod of a cleaned-up attempt still exists when the next process starts. */
  @Test
  void aCorpsePodSurvivesARestartAndIsRemoved() {
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("corpse", "1s"));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.pass(Duration.ofMinutes(4));
    assertThat(only(job).retiredAt()).isNotNull();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
    assertThat(next.attempts(job)).hasSize(1);
  }

  /** Fails when a result is read from the object instead of the stored state. */
  @Test
  void finishedPodsThatTheClusterCollectsChangeNoResult() {
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("collected", "1s"));
    fairlead.until(job, JobState.SUCCEEDED);
    eu.deletePod(only(job).id(), MemberKey.of(only(job).members().getFirst()));
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(1);
  }

  /** Fails when the back-off is in memory only. */
  @Test
  void backOffOfACrashLoopingJobSurvivesRestarts() {
    cluster();
    Job job =
        fairlead.submit(
            job("loops", "1s")
                .retry(20, FailureCause.USER_ERROR)
                .annotation("sim.fairlead.dev/outcome", "fail"));
    InMemoryFairlead now = fairlead;
    for (int i = 0; i < 5; i++) {
      now.pass(Duration.ofMinutes(1));
      now.shutDown();
      now = now.replica("process-" + i);
    }
    // 10 s, 20 s, 40 s, 80 s, 160 s. A back-off that restarts would make about twenty calls.
    assertThat(now.attempts(job).size()).isBetween(3, 6);
    assertThat(now.job(job).run().failures()).isEqualTo(now.attempts(job).size());
  }

  /** Fails when a late sight of a stopped attempt moves it. */
  @Test
  void lateRunningReportAfterACancelChangesNothing() {
    fairlead.reachThrough(this::late);
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("late", "10m"));
    fairlead.until(job, JobState.RUNNING);
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.until(job, JobState.CANCELLED);
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(fairlead.state(job)).isEqualTo(JobState.CANCELLED);
    assertThat(only(job).state()).isEqualTo(AttemptState.CANCELLED);
    assertThat(eu.processes()).isEmpty();
  }

  /** Fails when silence is counted again in the next process, or ends running attempts. */
  @Test
  void clusterSilentBeforeARestartIsStillSilentAndKeepsItsJobs() {
    SimulatedCluster eu = cluster();
    Job job = fairlead.submit(job("kept", "5m"));
    fairlead.until(job, JobState.RUNNING);
    eu.partition(true);
    fairlead.pass(Duration.ofMinutes(2));
    assertThat(states()).contains(ClusterState.UNREACHABLE);
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.pass(Duration.ofSeconds(10));
    assertThat(states()).contains(ClusterState.UNREACHABLE);
    eu.partition(false);
    next.until(job, JobState.SUCCEEDED);
    assertThat(next.attempts(job)).hasSize(1);
  }

  private java.util.List<ClusterState> states() {
    return fairlead.stores().inventory().clusters().stream().map(c -> c.state()).toList();
  }

  /** One member is evicted, the node of the other reboots, and another process observes both. */
  @Test
  void evictionDuringAPartialFailureHasOneReasonAndOneCharge() {
    SimulatedCluster eu = cluster();
    Job gang = fairlead.submit(job("gang", "10m").gpus(8).workers(2));
    fairlead.until(gang, JobState.RUNNING);
    Attempt first = only(gang);
    Member evicted = first.members().getFirst();
    Member crashed = first.members().getLast();
    eu.cordon(evicted.nodeName(), true);
    fairlead.pass(Duration.ofSeconds(3));
    assertThat(eu.evict(first.id(), MemberKey.of(evicted))).isTrue();
    eu.rebootNode(crashed.nodeName());
    fairlead.shutDown();
    eu.cordon(evicted.nodeName(), false);

    InMemoryFairlead next = fairlead.replica("two");
    next.pass(Duration.ofMinutes(2));

    assertThat(next.attempts(gang)).hasSize(2);
    assertThat(only(gang).live()).isFalse();
    assertThat(only(gang).failure()).isNotNull();
    assertThat(ends(first)).isEqualTo(1);
    assertThat(next.job(gang).run().failures()).isLessThanOrEqualTo(1);
    assertThat(next.state(gang)).isEqualTo(JobState.RUNNING);
    assertThat(eu.processes()).hasSize(2);
  }

  /** Number of reported ends of the attempt. */
  private long ends(Attempt attempt) {
    return fairlead.stores().events().after(EventPosition.START, 1000).stream()
        .filter(event -> attempt.id().text().equals(event.fact().data().get("attempt")))
        .filter(event -> event.fact().type().matches("Attempt(Evicted|Lost|Failed|Succeeded)"))
        .count();
  }
}
