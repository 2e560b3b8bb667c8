package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OutageTest {
  private final VirtualCluster sim = VirtualCluster.ofNodes(1);

  @Test
  void partitionedClusterContinuesAndReportsItsOldState() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advanceSeconds(1);
    sim.cluster.partition(true);
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(sim.cluster.processes()).isEmpty();
    assertThat(sim.cluster.contact().silentMillis()).isEqualTo(60_000);
    assertThat(sim.cluster.contact().trouble()).isNotNull();
    assertThatThrownBy(() -> sim.cluster.logs(VirtualCluster.log(order, null, null, false)))
        .isInstanceOf(IOException.class);
    sim.cluster.partition(false);
    assertThat(sim.cluster.contact().silentMillis()).isZero();
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.SUCCEEDED);
  }

  @Test
  void changesDuringAPartitionAreReportedFirstAfterIt() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advanceSeconds(1);
    sim.cluster.partition(true);
    long known = sim.cluster.workloadsSince(0).revision();
    sim.advanceSeconds(60);
    assertThat(sim.cluster.workloadsSince(known).workloads()).isEmpty();
    AtomicInteger told = new AtomicInteger();
    sim.cluster.onChange(told::incrementAndGet);
    sim.cluster.partition(false);
    assertThat(told).hasValue(1);
    assertThat(sim.cluster.workloadsSince(known).workloads())
        .containsOnlyKeys(order.attempt().id());
  }

  @Test
  void orderToAPartitionedClusterHasNoEffect() {
    LaunchOrder order = sim.order(job());
    sim.cluster.partition(true);
    assertThat(sim.apply(order)).isInstanceOf(ActionOutcome.Unavailable.class);
    sim.cluster.partition(false);
    sim.advanceSeconds(1);
    assertThat(sim.seen(order).empty()).isTrue();
  }

  @Test
  void orderWithALostResponseTakesEffectOnce() {
    LaunchOrder order = sim.order(job());
    sim.cluster.partition(true);
    sim.cluster.loseAnswers(true);
    assertThat(sim.apply(order)).isInstanceOf(ActionOutcome.Unavailable.class);
    sim.cluster.loseAnswers(false);
    sim.cluster.partition(false);
    String uid = sim.member(order, 0).uid();
    assertThat(sim.apply(order)).isInstanceOf(ActionOutcome.Done.class);
    sim.advanceSeconds(1);
    assertThat(sim.member(order, 0).uid()).isEqualTo(uid);
  }

  @Test
  void closedConnectionChangesNothingAndLeavesTheOthersOpen() {
    ClusterGateway deposed = sim.cluster.session();
    ClusterGateway successor = sim.cluster.session();
    AtomicInteger told = new AtomicInteger();
    successor.onChange(told::incrementAndGet);
    deposed.close();
    LaunchOrder order = sim.order(job());
    WorkloadAction launch = new WorkloadAction.Launch(order.attempt().id(), order);
    assertThat(deposed.apply(launch)).isInstanceOf(ActionOutcome.Unavailable.class);
    assertThat(successor.apply(launch)).isInstanceOf(ActionOutcome.Done.class);
    assertThat(told).hasPositiveValue();
  }

  @Test
  void timeFreezesWhenTheClockStepsBack() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advanceSeconds(5);
    sim.clock.set(sim.now().minus(Duration.ofMinutes(10)));
    LaunchOrder late = sim.launch(Specs.job("late"));
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    // On a clock that runs backwards it would have started before it was launched.
    assertThat(sim.member(late, 0).state()).isEqualTo(MemberState.PENDING);
    sim.advance(Duration.ofMinutes(10));
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.SUCCEEDED);
  }
}
