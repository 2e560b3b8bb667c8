package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.service.NoticeIntake;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A machine with a notice, from the taint to the next attempt of its job. */
class NoticeJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));

  private void announce(String node, Instant deadline) {
    Taint taint = new Taint(Taint.LEAVING, "" + deadline.getEpochSecond(), "NoSchedule");
    eu.show(node, List.of(), List.of(taint));
  }

  /** Fails when the job remains, loses its checkpoint time, or uses a retry. */
  @Test
  void jobLeavesBeforeTheDeadlineAndRestartsElsewhereWithoutSpendingARetry() {
    Specs spec =
        Specs.job("train")
            .gpus(8)
            .checkpointTimeout(Duration.ofSeconds(20))
            .annotation("sim.fairlead.dev/run-for", "10m");
    Job job = fairlead.until(fairlead.submit(spec), JobState.RUNNING);
    Attempt first = fairlead.attempts(job).getFirst();
    String node = first.members().getFirst().nodeName();
    Instant deadline = fairlead.stores().clock().instant().plusSeconds(120);
    announce(node, deadline);

    Job again = fairlead.until(fairlead.until(job, JobState.QUEUED), JobState.RUNNING);
    Attempt moved = fairlead.attempts(job).getFirst();
    assertThat(moved.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(moved.endedAt()).isBefore(deadline);
    assertThat(Objects.requireNonNull(moved.checkpointRequest()).outcome())
        .isEqualTo(CheckpointRequest.Outcome.TIMED_OUT);
    assertThat(Objects.requireNonNull(moved.failure()).message())
        .contains("node " + node + " has a notice: scheduled maintenance until ");
    assertThat(again.run().failures()).isZero();
    assertThat(fairlead.attempts(job).getLast().members().getFirst().nodeName()).isNotEqualTo(node);
  }

  /** Fails when an announced notice waits for the next report of the cluster. */
  @Test
  void jobLeavesForAnAnnouncedNoticeAndItsNodeReturnsAfterTheWithdrawal() {
    Specs spec = Specs.job("train").gpus(8).checkpointTimeout(Duration.ofSeconds(20));
    Job job =
        fairlead.until(
            fairlead.submit(spec.annotation("sim.fairlead.dev/run-for", "2m")), JobState.RUNNING);
    String node = fairlead.attempts(job).getFirst().members().getFirst().nodeName();
    MemoryStores stores = fairlead.stores();
    Instant deadline = stores.clock().instant().plusSeconds(120);
    NoticeIntake intake =
        new NoticeIntake(
            stores.transactions(),
            stores.inventory(),
            stores.health(),
            stores.audit(),
            stores.clock());
    Actor bridge = new Actor(job.tenant(), "bridge", Role.OPERATOR);
    intake.announce(
        bridge,
        "eu-1",
        new NoticeIntake.Report("one", node, NodeNotice.Kind.HOST_ERROR, deadline, "bad memory"),
        false);

    Job again = fairlead.until(fairlead.until(job, JobState.QUEUED), JobState.RUNNING);
    Attempt moved = fairlead.attempts(job).getFirst();
    assertThat(moved.endedAt()).isBefore(deadline);
    assertThat(moved.checkpointRequest()).isNotNull();
    assertThat(Objects.requireNonNull(moved.failure()).message())
        .contains("node " + node + " has a notice: host error until ", "bad memory");
    assertThat(again.run().failures()).isZero();

    intake.withdraw(bridge, "eu-1", "one", false);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(stores.inventory().nodes(null)).allMatch(n -> n.state() == NodeState.ACTIVE);
  }
}
