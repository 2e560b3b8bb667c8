package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** More attempts of a cluster than fit a pass request actions that are impossible now. */
class CrowdedClusterTest {
  private static final int STUCK = 520;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  /** Runs jobs on a node that then becomes silent, and cancels them, so they cannot end. */
  private List<Job> stuck(SimulatedCluster cluster) {
    List<Job> stuck = new ArrayList<>();
    for (int i = 0; i < STUCK; i++) {
      stuck.add(
          fairlead.submit(
              Specs.job("stuck-" + i).workers(1).annotation("sim.fairlead.dev/run-for", "10h")));
    }
    stuck.forEach(job -> fairlead.until(job, JobState.RUNNING));
    nodes(stuck).forEach(cluster::loseNode);
    stuck.forEach(job -> fairlead.commands().cancel(fairlead.ana(), job.id()));
    fairlead.pass(Duration.ofSeconds(20));
    assertThat(all(stuck, a -> a.state() == AttemptState.STOPPING)).isTrue();
    return stuck;
  }

  private List<String> nodes(List<Job> jobs) {
    return jobs.stream()
        .flatMap(job -> fairlead.attempts(job).getFirst().members().stream())
        .map(member -> member.nodeName())
        .distinct()
        .toList();
  }

  private boolean all(List<Job> jobs, Predicate<Attempt> are) {
    return jobs.stream().allMatch(job -> are.test(fairlead.attempts(job).getFirst()));
  }

  private Specs free(String name) {
    return Specs.job(name).gpus(8);
  }

  /** Fails when the oldest requests of a cluster fill its passes: new requests wait for minutes. */
  @Test
  void newJobStartsAndIsCancelledDespiteHundredsThatCannotStop() {
    SimulatedCluster cluster =
        fairlead.register("eu-1", new FleetPool(6, 0, "", 1, 1), new FleetPool(2, 8, "H100", 1, 1));
    stuck(cluster);

    Job fresh = fairlead.submit(free("fresh").annotation("sim.fairlead.dev/run-for", "10h"));
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(fairlead.state(fresh)).isEqualTo(JobState.RUNNING);

    fairlead.commands().cancel(fairlead.ana(), fresh.id());
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(fairlead.state(fresh)).isEqualTo(JobState.CANCELLED);
  }

  /** Fails when a stuck request triggers another pass immediately, or is read in every pass. */
  @Test
  void loopRestsDespiteHundredsThatCannotStop() {
    SimulatedCluster cluster = fairlead.register("eu-1", new FleetPool(6, 0, "", 1, 1));
    stuck(cluster);
    fairlead.pass(Duration.ofSeconds(40));

    Loop supervisor = fairlead.supervisors().getFirst();
    int before = fairlead.reads();
    int attempts = fairlead.attemptsRead();
    int busy = 0;
    for (int i = 0; i < 10; i++) {
      fairlead.stores().clock().advance(supervisor.idle());
      busy += supervisor.tick() ? 1 : 0;
    }

    assertThat(busy).as("turns that asked for another at once").isLessThanOrEqualTo(8);
    assertThat(fairlead.reads() - before).as("turns that read attempts").isLessThanOrEqualTo(6);
    assertThat(fairlead.attemptsRead() - attempts)
        .as("attempts read")
        .isLessThanOrEqualTo(2 * STUCK);
  }

  /** Fails when stuck attempts count as a crowd: the output of finished jobs would be dropped. */
  @Test
  void outputOfAFinishedJobIsStoredDespiteHundredsThatCannotStop() {
    SimulatedCluster cluster =
        fairlead.register("eu-1", new FleetPool(6, 0, "", 1, 1), new FleetPool(2, 8, "H100", 1, 1));
    stuck(cluster);
    Job done = fairlead.submit(free("done").annotation("sim.fairlead.dev/run-for", "5s"));
    fairlead.until(done, JobState.SUCCEEDED);

    fairlead.pass(Duration.ofSeconds(90));

    Attempt attempt = fairlead.attempts(done).getFirst();
    assertThat(attempt.retiredAt()).as("kept for two minutes").isNull();
    assertThat(cluster.workloadsSince(0).workloads()).containsKey(attempt.id());
  }

  /**
   * Fails when a pass starts few of the attempts that it read: each holds its nodes while it waits.
   */
  @Test
  void passStartsHundredsOfSmallAttempts() {
    assertThat(startedInATurn(150, 1)).isEqualTo(128);
  }

  /**
   * Fails when large attempts count as small attempts: a pass would take as long as thousands of
   * pods.
   */
  @Test
  void turnStartsLargeAttemptsUpToItsMemberLimit() {
    assertThat(startedInATurn(4, 50)).isEqualTo(2);
  }

  /** Fails when an attempt with more members than a pass starts never starts. */
  @Test
  void attemptAboveTheMemberLimitIsStartedAlone() {
    assertThat(startedInATurn(2, 200)).isEqualTo(1);
  }

  /**
   * Each attempt is read before its start and when the cluster reports it. Fails when a page
   * exceeds the capacity of a pass.
   */
  @Test
  void backlogIsReadOnceToStartIt() {
    assertThat(readToStart(520, 1)).isBetween(520, 2 * 520);
  }

  /**
   * Fails when a pass examines again everything that did not fit earlier: the reads of a backlog
   * would grow quadratically.
   */
  @Test
  void turnReadsOnePageOfABacklogAndNewStarts() {
    planned(300, 32);
    Loop supervisor = fairlead.supervisors().getFirst();
    for (int turn = 0; turn < 3; turn++) {
      int before = fairlead.attemptsRead();
      supervisor.tick();
      assertThat(fairlead.attemptsRead() - before).isLessThanOrEqualTo(128 + 3 * 4);
    }
  }

  /** Fails when a page continues after attempts that did not fit: they would wait for a round. */
  @Test
  void largeAttemptsOfABacklogStartInTheirOrder() {
    List<Job> jobs = planned(140, 32);

    fairlead.supervisors().getFirst().tick();
    fairlead.supervisors().getFirst().tick();

    assertThat(all(jobs.subList(0, 8), a -> a.state() != AttemptState.PLANNED)).isTrue();
    assertThat(all(jobs.subList(8, 140), a -> a.state() == AttemptState.PLANNED)).isTrue();
  }

  private int readToStart(int attempts, int members) {
    List<Job> jobs = planned(attempts, members);
    int before = fairlead.attemptsRead();
    while (!all(jobs, a -> a.state() != AttemptState.PLANNED)) {
      fairlead.supervisors().getFirst().tick();
    }
    return fairlead.attemptsRead() - before;
  }

  private List<Job> planned(int attempts, int members) {
    fairlead.register("eu-1", new FleetPool(500, 0, "", 1, 1));
    fairlead.turn();
    fairlead.supervisors().getFirst().tick();
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < attempts; i++) {
      jobs.add(fairlead.submit(Specs.job("small-" + i).workers(members).cpuMilli(100)));
    }
    fairlead.scheduler().tick();
    assertThat(all(jobs, a -> a.state() == AttemptState.PLANNED)).isTrue();
    return jobs;
  }

  private long startedInATurn(int attempts, int members) {
    List<Job> jobs = planned(attempts, members);

    boolean more = fairlead.supervisors().getFirst().tick();

    long started =
        jobs.stream()
            .filter(job -> fairlead.attempts(job).getFirst().state() != AttemptState.PLANNED)
            .count();
    assertThat(more).as("another turn follows at once").isEqualTo(started < attempts);
    return started;
  }
}
