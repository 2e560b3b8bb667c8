package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord.Kind;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Unreachable;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports of a job that cannot be observed. */
class UnreachableJobsTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(9);
  private final SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));

  private Job running() {
    Job job =
        fairlead.submit(
            Specs.job("train").gpus(8).workers(2).annotation("sim.fairlead.dev/run-for", "2h"));
    return fairlead.until(job, JobState.RUNNING);
  }

  private @Nullable Unreachable unreachable(Job job) {
    return fairlead.queries().job(fairlead.ana(), job.id()).unreachable();
  }

  private String firstNode(Job job) {
    return fairlead.attempts(job).getFirst().members().getFirst().nodeName();
  }

  /** Fails when every job counts as unreachable, or only its cluster is named. */
  @Test
  void jobOnASilentNodeNamesTheNodeAndItsMembers() {
    Job job = running();
    assertThat(unreachable(job)).isNull();
    String node = firstNode(job);

    eu.loseNode(node);
    fairlead.pass(Duration.ofMinutes(2));

    Unreachable unreachable = unreachable(job);
    assertThat(unreachable).isNotNull();
    assertThat(unreachable.scope()).isEqualTo(Unreachable.Scope.NODE);
    assertThat(unreachable.message()).isEqualTo("node " + node + " cannot be seen");
    assertThat(unreachable.since()).isEqualTo(fairlead.attempts(job).getFirst().unreachableSince());
    assertThat(unreachable.members()).extracting(Member::nodeName).contains(node);

    eu.returnNode(node);
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(unreachable(job)).isNull();
    assertThat(fairlead.queries().decisions(fairlead.ana(), job.id(), null, null))
        .as("the history says it, too")
        .extracting(span -> span.decided().body().kind())
        .containsExactly(Kind.PLACED, Kind.UNREACHABLE, Kind.REACHABLE);
  }

  /** Fails when every node of a cluster that is away is named instead of the cluster. */
  @Test
  void jobOnAnUnavailableClusterNamesTheCluster() {
    Job job = running();

    eu.partition(true);
    fairlead.pass(Duration.ofMinutes(3));

    assertThat(unreachable(job))
        .matches(unreachable -> unreachable.scope() == Unreachable.Scope.CLUSTER)
        .matches(unreachable ->
            unreachable.message().equals("cluster eu-1 (UNREACHABLE) cannot be seen"));
  }

  /** Fails when a job is unreachable immediately after its stop order, or never. */
  @Test
  void ignoredStopIsUnreachableAMinuteAfterItsGracePeriod() {
    Job job = running();
    eu.loseNode(firstNode(job));
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.pass(Duration.ofSeconds(40));
    assertThat(unreachable(job)).as("it still has time to obey").isNull();

    fairlead.pass(Duration.ofMinutes(2));

    assertThat(unreachable(job))
        .matches(unreachable -> unreachable.scope() == Unreachable.Scope.NODE);
  }

  /**
   * Fails when the obstacle of a deletion is not named, or the deletion does not continue
   * afterwards.
   */
  @ParameterizedTest
  @EnumSource(
      value = Unreachable.Scope.class,
      names = {"NODE", "CLUSTER"})
  void blockedCancelNamesTheBlockerAndConvergesAfterItsReturn(Unreachable.Scope blocker) {
    Job job = running();
    String node = firstNode(job);
    boolean whole = blocker == Unreachable.Scope.CLUSTER;
    if (whole) {
      eu.partition(true);
    } else {
      eu.loseNode(node);
    }
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.pass(Duration.ofMinutes(4));
    assertThat(fairlead.state(job)).isEqualTo(JobState.CANCELLING);
    assertThat(unreachable(job))
        .matches(unreachable -> unreachable.scope() == blocker)
        .matches(unreachable -> unreachable.message().contains(whole ? "cluster eu-1" : node));

    if (whole) {
      eu.partition(false);
    } else {
      eu.returnNode(node);
    }
    fairlead.until(job, JobState.CANCELLED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepFailed().plusMinutes(1));

    assertThat(unreachable(job)).isNull();
    assertThat(eu.processes()).isEmpty();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
  }
}
