package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The watch of nodes lags behind the watch of pods. Each of these tests fails when a supervisor
 * trusts the watch instead of a query.
 */
class LateNodesTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private InventoryView late;

  private ClusterGateway lagging(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            method.getName().equals("inventory") && late != null ? late : call.now());
  }

  private SimulatedCluster oneNode() {
    fairlead.reachThrough(this::lagging);
    SimulatedCluster eu = fairlead.register("eu", new FleetPool(1, 8, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(1));
    return eu;
  }

  private static void reboot(SimulatedCluster cluster) {
    cluster.rebootNode(cluster.inventory().nodes().getFirst().name());
  }

  private Job running() {
    Job job =
        fairlead.submit(Specs.job("train").gpus(8).annotation("sim.fairlead.dev/run-for", "1h"));
    fairlead.until(job, JobState.RUNNING);
    return job;
  }

  /** Seed 36804 of the simulation. */
  @Test
  void rebootReportedAfterALaterPodEndsNothing() {
    SimulatedCluster eu = oneNode();
    late = eu.inventory();
    reboot(eu);
    Job job = running();

    late = null;
    fairlead.pass(Duration.ofMinutes(1));

    assertThat(fairlead.attempts(job)).singleElement().matches(Attempt::live);
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /** Seed 37834 of the simulation. */
  @Test
  void newSupervisorWithAnOldReportEndsNothing() {
    SimulatedCluster eu = oneNode();
    InventoryView before = eu.inventory();
    reboot(eu);
    Job job = running();
    fairlead.shutDown();

    late = before;
    InMemoryFairlead next = fairlead.replica("two");
    next.reachThrough(this::lagging);
    next.pass(Duration.ofMinutes(1));
    late = null;
    next.pass(Duration.ofMinutes(1));

    assertThat(next.attempts(job)).singleElement().matches(Attempt::live);
    assertThat(eu.processes()).hasSize(1);
  }

  /** The end is only delayed: a real reboot still counts. */
  @Test
  void rebootIsTrustedAsSoonAsTheClusterReportsIt() {
    SimulatedCluster eu = oneNode();
    Job job = running();

    reboot(eu);
    fairlead.pass(Duration.ofSeconds(2));

    List<Attempt> attempts = fairlead.attempts(job);
    assertThat(attempts).filteredOn(a -> !a.live()).hasSize(1);
    assertThat(eu.processes()).hasSizeLessThanOrEqualTo(1);
  }
}
