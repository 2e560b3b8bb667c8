package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A cluster with a higher epoch than this database ever issued: the database is a copy, or older.
 */
class HigherEpochTest {
  private static final FleetPool NODES = new FleetPool(2, 8, "H100", 1, 1);
  private static final long ANOTHERS = 5L << 32;
  private static final long WATERMARK = 5L << 32;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", NODES);

  private Cluster row() {
    return fairlead.stores().inventory().clusterNamed("eu-1").orElseThrow();
  }

  private MemberState member(AttemptId attempt) {
    return eu.workloadsSince(0).workloads().get(attempt).members().firstEntry().getValue().state();
  }

  /**
   * Fails when the supervisor acts without a claim, or takes over until it has the higher epoch.
   */
  @Test
  void supervisorDoesNothingUnderAHigherEpochAndReportsTheReason() {
    Job running = fairlead.submit(Specs.job("runs").gpus(1));
    fairlead.until(running, JobState.RUNNING);
    AttemptId attempt = fairlead.attempts(running).getFirst().id();
    assertThat(eu.claim(ANOTHERS, WATERMARK)).isEqualTo(EpochClaim.OURS);
    fairlead.commands().cancel(fairlead.ana(), running.id());
    fairlead.pass(Duration.ofSeconds(1));
    Job waits = fairlead.submit(Specs.job("waits").gpus(1));
    fairlead.pass(Duration.ofMinutes(5));
    assertThat(member(attempt)).isEqualTo(MemberState.SUCCEEDED);
    assertThat(eu.workloadsSince(0).workloads().get(attempt).members().firstEntry().getValue())
        .matches(m -> !m.deleting());
    assertThat(fairlead.attempts(waits)).isEmpty();
    assertThat(row().state()).isEqualTo(ClusterState.DEGRADED);
    assertThat(row().trouble()).startsWith("only reported").contains("epoch " + ANOTHERS);
    assertThat(eu.claim(ANOTHERS - 1, WATERMARK)).isEqualTo(new EpochClaim.Higher(ANOTHERS));
  }

  /**
   * The database from before the last attempt was stored. Fails when a difference is not reported,
   * or the process acts on the cluster without an operator's order.
   */
  @Test
  void afterARestoreEveryDivergenceIsListedAndARaisedIncarnationActsAgain() {
    Job runs = fairlead.submit(Specs.job("runs").gpus(1));
    fairlead.until(runs, JobState.RUNNING);
    AttemptId later = new AttemptId(fairlead.stores().ids().next());
    eu.apply(SweepingTest.launch(fairlead, eu, fairlead.attempts(runs).getFirst(), later));
    assertThat(eu.claim(ANOTHERS, WATERMARK)).isEqualTo(EpochClaim.OURS);

    fairlead.pass(Duration.ofMinutes(6));

    assertThat(row().trouble()).startsWith("only reported").contains("1 attempts differ");
    assertThat(fairlead.metrics().get("fairlead.divergences").gauge().value()).isEqualTo(1);

    for (int incarnation = 1; incarnation <= ANOTHERS >>> 32; incarnation++) {
      assertThat(fairlead.stores().leases().raiseIncarnation(incarnation)).isTrue();
    }
    Job next = fairlead.submit(Specs.job("next").gpus(1));
    fairlead.until(next, JobState.RUNNING);
    assertThat(row().state()).isEqualTo(ClusterState.ACTIVE);
    assertThat(eu.workloadsSince(0).workloads()).containsKey(later);
  }

  /** An alert uses this metric. Fails when its last value remains until the process ends. */
  @Test
  void unmanagedClusterCountsNoDivergences() {
    assertThat(eu.claim(ANOTHERS, WATERMARK)).isEqualTo(EpochClaim.OURS);
    fairlead.pass(Duration.ofSeconds(1));
    assertThat(fairlead.metrics().find("fairlead.divergences").gauge()).isNotNull();

    fairlead.supervisors().forEach(Loop::close); // it was disabled, or removed

    assertThat(fairlead.metrics().find("fairlead.divergences").gauge()).isNull();
    assertThat(fairlead.metrics().find("fairlead.attempts.set-aside").gauge()).isNull();
  }

  /**
   * The usual restore: no takeover happened since the backup, so the epoch of a start is new to the
   * cluster. Fails when the watermark is not compared, or rises while the cluster is read-only.
   */
  @Test
  void olderStateIsOnlyReportedAtEveryRestart() {
    Job runs = fairlead.submit(Specs.job("runs").gpus(1));
    fairlead.until(runs, JobState.RUNNING);
    LeaseRow lease = fairlead.stores().leases().read("cluster/" + row().id().bare()).orElseThrow();
    assertThat(eu.claim(lease.epoch(), lease.watermark() + 3)).isEqualTo(EpochClaim.OURS);

    InMemoryFairlead started = fairlead;
    for (String start : List.of("first", "second", "third")) {
      started.shutDown();
      started = fairlead.replica(start);
      started.pass(Duration.ofMinutes(5));
      assertThat(row().trouble()).startsWith("only reported").contains("watermark");
    }
    assertThat(fairlead.stores().leases().raiseIncarnation(1)).isTrue();
    Job next = started.submit(Specs.job("next").gpus(1));
    started.until(next, JobState.RUNNING);
    assertThat(row().state()).isEqualTo(ClusterState.ACTIVE);
  }

  /**
   * A backup that is younger than the last renewal of the lease, and older than a launch. Fails
   * when watermarks rise only with renewals: the restored database would start that job a second
   * time.
   */
  @Test
  void stateFromBeforeTheLastLaunchIsDetectedWithoutARenewal() {
    fairlead.until(fairlead.submit(Specs.job("first").gpus(1)), JobState.RUNNING);
    String name = "cluster/" + row().id().bare();
    LeaseRow backup = fairlead.stores().leases().read(name).orElseThrow();

    fairlead.until(fairlead.submit(Specs.job("second").gpus(1)), JobState.RUNNING);

    assertThat(eu.claim(backup.epoch(), backup.watermark())).isInstanceOf(EpochClaim.Ahead.class);
    assertThat(row().state()).isEqualTo(ClusterState.ACTIVE);
  }

  @Test
  void takeoverByAReplicaIsNotAReasonToStop() {
    Job job = fairlead.submit(Specs.job("runs").gpus(1));
    fairlead.until(job, JobState.RUNNING);
    fairlead.shutDown();
    InMemoryFairlead second = fairlead.replica("two");
    second.until(job, JobState.SUCCEEDED);
    Job next = second.submit(Specs.job("next").gpus(1));
    second.until(next, JobState.SUCCEEDED);
    assertThat(row().state()).isEqualTo(ClusterState.ACTIVE);
    assertThat(row().trouble()).isNull();
  }
}
