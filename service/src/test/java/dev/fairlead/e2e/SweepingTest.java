package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchSecrets;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Pods on a cluster without an attempt that is supervised. */
class SweepingTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));

  /** An attempt that ended before any of its objects was sent, and that was cleared away. */
  private Attempt over() {
    fairlead.until(fairlead.submit(Specs.job("warm").gpus(1)), JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusSeconds(5));
    Job job = fairlead.submit(Specs.job("late").gpus(1));
    fairlead.scheduler().tick();
    eu.partition(true);
    fairlead.pass(Duration.ofSeconds(70));
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.until(job, JobState.CANCELLED);
    eu.partition(false);
    fairlead.pass(Duration.ofSeconds(10));
    Attempt attempt = fairlead.attempts(job).getFirst();
    assertThat(attempt.retiredAt()).isNotNull();
    return attempt;
  }

  /** Creates pods like a late create. */
  private void arrives(Attempt attempt, AttemptId as) {
    eu.apply(launch(fairlead, eu, attempt, as));
    fairlead.pass(Duration.ofSeconds(1));
    assertThat(eu.processes()).hasSize(1);
  }

  /** The members of the attempt, launched under another name. */
  static WorkloadAction launch(
      InMemoryFairlead fairlead, SimulatedCluster eu, Attempt attempt, AttemptId as) {
    Job job = fairlead.stores().jobs().findAll(List.of(attempt.job())).getFirst();
    Attempt planned =
        new Attempt(
            as,
            attempt.job(),
            0,
            1,
            attempt.cluster(),
            attempt.epoch(),
            attempt.createdAt(),
            AttemptStatus.of(AttemptState.LAUNCHING),
            attempt.members().stream().map(SweepingTest::alive).toList(),
            List.of());
    long epoch =
        fairlead
            .stores()
            .leases()
            .read("cluster/" + attempt.cluster().bare())
            .orElseThrow()
            .epoch();
    LaunchOrder order =
        new LaunchOrder(
            fairlead.stores().leases().installation(),
            epoch,
            fairlead.stores().tenants().tenant(job.tenant()).orElseThrow(),
            fairlead.stores().tenants().project(job.tenant(), job.project()).orElseThrow(),
            job,
            planned,
            eu.capabilities(),
            LaunchSecrets.NONE,
            null);
    return new WorkloadAction.Launch(as, order);
  }

  private static Member alive(Member m) {
    return Member.planned(
        m.role(), m.index(), m.node(), m.nodeName(), m.flavor(), m.request(), m.gpus());
  }

  /** Fails without the sweeper: no other component examines an attempt that was cleared away. */
  @Test
  void podAppearingAfterItsAttemptWasCleanedUpIsRemoved() {
    Attempt over = over();
    arrives(over, over.id());

    fairlead.pass(Duration.ofSeconds(30));

    assertThat(eu.processes()).isEmpty();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
  }

  /** Fails when a process sweeps only attempts that it cleared away itself. */
  @Test
  void endedPodAppearingAfterARestartIsRemovedToo() {
    Attempt over = over();
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.pass(Duration.ofSeconds(10));
    eu.apply(launch(fairlead, eu, over, over.id()));
    next.pass(Duration.ofSeconds(1));
    assertThat(eu.processes()).hasSize(1);

    next.pass(Duration.ofSeconds(30));

    assertThat(eu.processes()).isEmpty();
    assertThat(eu.workloadsSince(0).workloads()).isEmpty();
  }

  /**
   * Fails when every object that the database does not have counts as an orphan: a restored
   * database lacks many.
   */
  @Test
  void podOfAnAttemptMissingFromTheDatabaseIsLeftAlone() {
    arrives(over(), new AttemptId(new UUID(7, 7)));

    fairlead.pass(Duration.ofSeconds(50));

    assertThat(eu.processes()).hasSize(1);
  }
}
