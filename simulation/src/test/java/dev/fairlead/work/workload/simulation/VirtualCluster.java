package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** A cluster with a clock that the test moves, and the calls of a supervisor. */
final class VirtualCluster {
  final SettableClock clock = new SettableClock();
  final SimulatedCluster cluster;
  private final LaunchOrders orders =
      new LaunchOrders(
          new SeededIds(1), new Installation(new UUID(0x7000, 0x8000), 1), "simulation");

  VirtualCluster(FleetPool... pools) {
    this(1, pools);
  }

  VirtualCluster(long seed, FleetPool... pools) {
    cluster = new SimulatedCluster("sim", List.of(pools), clock, seed);
  }

  /** One pool of H100 nodes with 8 GPUs. */
  static VirtualCluster ofNodes(int nodes) {
    return new VirtualCluster(new FleetPool(nodes, 8, "H100", 1, 1));
  }

  static Specs job() {
    return Specs.job("train").gpus(1);
  }

  void advance(Duration by) {
    clock.advance(by);
    cluster.tickTo(clock.instant());
  }

  void advanceSeconds(long seconds) {
    advance(Duration.ofSeconds(seconds));
  }

  /** Members on the nodes in turn, from the first. */
  LaunchOrder launch(Specs spec) {
    return launch(orders.order(1, spec.build(), nodes(), cluster.capabilities()));
  }

  LaunchOrder launchOn(String node, Specs spec) {
    return launch(orders.order(1, spec.build(), List.of(node(node)), cluster.capabilities()));
  }

  LaunchOrder launchAgain(LaunchOrder order) {
    return launch(orders.again(order));
  }

  LaunchOrder order(Specs spec) {
    return orders.order(1, spec.build(), nodes(), cluster.capabilities());
  }

  ActionOutcome apply(LaunchOrder order) {
    return cluster.apply(new WorkloadAction.Launch(order.attempt().id(), order));
  }

  ActionOutcome stop(LaunchOrder order, Duration grace) {
    return cluster.apply(
        new WorkloadAction.Stop(
            order.attempt().id(), order.project().namespace(), grace, List.of()));
  }

  ActionOutcome retire(LaunchOrder order) {
    return cluster.apply(WorkloadAction.Retire.of(order.attempt(), order.project().namespace()));
  }

  ObservedWorkload seen(LaunchOrder order) {
    ObservedWorkload seen = cluster.workloadsSince(0).workloads().get(order.attempt().id());
    return seen == null ? ObservedWorkload.nothing(order.attempt().id()) : seen;
  }

  ObservedMember member(LaunchOrder order, int index) {
    return seen(order).member(key(order, index)).orElseThrow();
  }

  NodeReport node(String name) {
    return nodes().stream().filter(n -> n.name().equals(name)).findFirst().orElseThrow();
  }

  List<NodeReport> nodes() {
    return cluster.inventory().nodes();
  }

  Instant now() {
    return clock.instant();
  }

  static MemberKey key(LaunchOrder order, int index) {
    return MemberKey.of(order.attempt().members().get(index));
  }

  static LogRequest log(LaunchOrder order, Integer tail, Instant since, boolean follow) {
    return new LogRequest(
        order.attempt().id(), order.project().namespace(), key(order, 0), tail, since, follow);
  }

  private LaunchOrder launch(LaunchOrder order) {
    ActionOutcome outcome = apply(order);
    if (!(outcome instanceof ActionOutcome.Done)) {
      throw new AssertionError("not launched: " + outcome);
    }
    return order;
  }
}
