package dev.fairlead.work.workload.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.memory.SettableClock;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class SimulatedConnectorTest {
  private static final Installation INSTALLATION = new Installation(new UUID(0x7000, 0x8000), 1);
  private static final Connection.Simulated FLEET =
      new Connection.Simulated(List.of(new FleetPool(2, 8, "H100", 1, 1)));

  private final SettableClock clock = new SettableClock();

  @Test
  void secondConnectionSeesTheCurrentCluster() {
    SimulatedConnector connector = SimulatedConnector.onVirtualTime(clock, 1);
    ClusterGateway first = connector.connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
    String boot = first.inventory().nodes().getFirst().bootId();
    first.close();
    clock.advance(Duration.ofHours(1));
    ClusterGateway second = connector.connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
    assertThat(second.inventory().nodes().getFirst().bootId()).isEqualTo(boot);
    connector.named("eu-1").orElseThrow().loseNode("eu-1-gpu-0001");
    assertThat(second.inventory().nodes().getLast().ready()).isFalse();
    assertThat(connector.named("us-2")).isEmpty();
  }

  @Test
  void nameReusedForAnotherClusterStartsEmpty() {
    SimulatedConnector connector = SimulatedConnector.onVirtualTime(clock, 1);
    connector.connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
    connector.named("eu-1").orElseThrow().cordon("eu-1-gpu-0000", true);
    ClusterGateway next = connector.connect(INSTALLATION, cluster(2, "eu-1"), FLEET);
    assertThat(next.inventory().nodes().getFirst().cordoned()).isFalse();
  }

  @Test
  void processRestartRebootsEveryNode() {
    ClusterGateway before =
        SimulatedConnector.onVirtualTime(clock, 1).connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
    clock.advance(Duration.ofSeconds(1));
    ClusterGateway after =
        SimulatedConnector.onVirtualTime(clock, 1).connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
    // If boot ids depended only on the seed, the members of the first process would never be
    // proven dead.
    assertThat(after.inventory().nodes().getFirst().bootId())
        .isNotEqualTo(before.inventory().nodes().getFirst().bootId());
    assertThat(after.inventory().nodes().getFirst().gpus())
        .isEqualTo(before.inventory().nodes().getFirst().gpus());
  }

  @Test
  void connectionOfAnotherKindIsRejected() {
    Connection other = new Connection.Kubernetes("https://127.0.0.1:1", "", null, null, null);
    assertThatThrownBy(() ->
            SimulatedConnector.onVirtualTime(clock, 1)
                .connect(INSTALLATION, cluster(1, "eu-1"), other))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void jobRunsToItsEndInRealTime() throws InterruptedException {
    try (SimulatedConnector connector = SimulatedConnector.onWallTime(InstantSource.system(), 1)) {
      ClusterGateway gateway = connector.connect(INSTALLATION, cluster(1, "eu-1"), FLEET);
      LaunchOrder order = order(gateway, "200ms");
      CountDownLatch ended = new CountDownLatch(1);
      gateway.onChange(() -> {
        if (succeeded(gateway, order)) {
          ended.countDown();
        }
      });
      gateway.apply(new WorkloadAction.Launch(order.attempt().id(), order));
      // No caller queries the cluster, so without its thread the listener gets no call.
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theModuleOffersItsConnectorWithTheConfiguredSeed() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SimulationAutoConfiguration.class))
        .withPropertyValues("fairlead.simulation.seed=7")
        .run(context ->
            assertThat(context.getBean(SimulatedConnector.class).kind())
                .isEqualTo(ClusterKind.SIMULATED));
  }

  private static boolean succeeded(ClusterGateway gateway, LaunchOrder order) {
    return gateway
        .workloadsSince(0)
        .workloads()
        .get(order.attempt().id())
        .members()
        .values()
        .stream()
        .allMatch(m -> m.state() == MemberState.SUCCEEDED);
  }

  private static LaunchOrder order(ClusterGateway gateway, String runFor) {
    return new LaunchOrders(new SeededIds(1), INSTALLATION, "wall")
        .order(
            1,
            Specs.job("short").gpus(1).annotation("sim.fairlead.dev/run-for", runFor).build(),
            gateway.inventory().nodes(),
            gateway.capabilities());
  }

  private static Cluster cluster(int id, String name) {
    return new Cluster(
        new ClusterId(new UUID(0, id)),
        name,
        ClusterKind.SIMULATED,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        new TreeMap<>(),
        ClusterSettings.DEFAULT,
        Capabilities.UNOBSERVED,
        Instant.parse("2030-01-01T00:00:00Z"),
        null,
        null,
        1);
  }
}
