package dev.fairlead.work.workload.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManyPodsTest {
  private static final int NODES = 100;
  private static final int PODS = 10_000;

  @Test
  void oneChangeAmongTenThousandPodsIsOneEntry() {
    VirtualCluster sim = new VirtualCluster(new FleetPool(NODES, 0, "", 1, 1));
    List<LaunchOrder> orders = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      String node = "sim-cpu-%04d".formatted(i % NODES);
      orders.add(
          sim.launchOn(node, Specs.job("small").annotation("sim.fairlead.dev/run-for", "60s")));
    }
    sim.advanceSeconds(1);
    assertThat(sim.cluster.processes()).hasSize(PODS);
    long revision = sim.cluster.workloadsSince(0).revision();
    sim.stop(orders.get(4711), Duration.ofSeconds(30));
    WorkloadView view = sim.cluster.workloadsSince(revision);
    assertThat(view.complete()).isFalse();
    assertThat(view.workloads()).containsOnlyKeys(orders.get(4711).attempt().id());
    sim.advanceSeconds(60);
    assertThat(sim.cluster.workloadsSince(view.revision()).workloads())
        .hasSize(PODS - 1)
        .allSatisfy((id, seen) ->
            assertThat(seen.members().values()).allMatch(m -> m.state() == MemberState.SUCCEEDED));
  }
}
