package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ClusterGatewayContract;
import dev.fairlead.work.workload.LaunchOrder;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conformance suite in virtual time. */
class SimulatedClusterContractTest extends ClusterGatewayContract {
  private final SettableClock clock = new SettableClock();
  private final SimulatedCluster cluster =
      new SimulatedCluster("sim", List.of(new FleetPool(2, 8, "H100", 1, 1)), clock, 1);

  @Override
  protected List<HeldDevice> allocate(LaunchOrder order, MemberKey member) {
    return order.attempt().members().stream()
        .filter(m -> MemberKey.of(m).equals(member))
        .flatMap(m -> m.gpus().stream())
        .map(share -> new HeldDevice(share.serial(), false))
        .toList();
  }

  @Override
  protected ClusterGateway gateway() {
    return cluster;
  }

  @Override
  protected void advance(Duration by) {
    clock.advance(by);
    cluster.tickTo(clock.instant());
  }

  @Override
  protected void loseNode(String name) {
    cluster.loseNode(name);
  }

  @Override
  protected void returnNode(String name) {
    cluster.returnNode(name);
  }

  @Override
  protected void cordon(String node, boolean cordoned) {
    cluster.cordon(node, cordoned);
  }

  @Override
  protected void show(String node, NodeCondition condition) {
    cluster.show(node, List.of(condition), List.of());
  }

  @Override
  protected void taint(String node, @Nullable Taint taint) {
    cluster.show(node, List.of(), taint == null ? List.of() : List.of(taint));
  }

  @Override
  protected boolean evict(LaunchOrder order, MemberKey member) {
    return cluster.evict(order.attempt().id(), member);
  }

  @Override
  protected @Nullable String secretVariable(LaunchOrder order, MemberKey member, String variable) {
    RoleSpec.SecretKey from = order.job().spec().roles().getFirst().secretEnv().get(variable);
    Secret value =
        cluster.secret(order.attempt().id()).get(LaunchOrder.dataKey(from.secret(), from.key()));
    return value == null ? null : value.reveal();
  }

  @Override
  protected String checkpointFile(LaunchOrder order, MemberKey member) {
    return cluster.checkpointFile(order.attempt().id(), member);
  }

  @Override
  protected void occupy(LaunchOrder order, String podName) {
    cluster.foreignObject(podName);
  }

  @Override
  protected boolean occupied(LaunchOrder order, String podName) {
    return cluster.hasForeignObject(podName);
  }
}
