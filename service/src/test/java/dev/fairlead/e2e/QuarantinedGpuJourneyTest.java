package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.service.FleetCapacity;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sick GPU of a node whose slots are its devices. */
class QuarantinedGpuJourneyTest {
  private static final int EACH = 8;
  private static final int SICK = 3;
  private static final int DOUBLE_BIT = 48;
  private static final int OFF_THE_BUS = 79;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(19);
  private final MemoryStores stores = fairlead.stores();
  private final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  private final HealthIntake monitor = ServiceParts.intake(stores);
  private final QuarantineCommands operators =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  private SimulatedCluster eu;
  private int events;

  @BeforeEach
  void aClusterOfOneNode() {
    eu = fairlead.register("eu", new FleetPool(1, EACH, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(5));
  }

  private Node node() {
    return stores.inventory().nodes(null).getFirst();
  }

  private String gpu(int index) {
    return node().gpus().get(index).serial();
  }

  private Incident report(int xid, int gpu) {
    return report(xid, gpu(gpu));
  }

  private Incident report(int xid, String gpu) {
    events++;
    HealthEvent event =
        new HealthEvent("e-" + events, stores.clock().instant(), node().name(), gpu, null, xid, "");
    var taken = monitor.take(fairlead.operator(), "eu", List.of(event)).getFirst();
    return stores.health().incident(taken.incident().id()).orElseThrow();
  }

  private Job submit(String name, int gpus) {
    return fairlead.submit(Specs.job(name).gpus(gpus).annotation("sim.fairlead.dev/run-for", "2h"));
  }

  private List<String> held() {
    return stores.jobs().everyAttempt().stream()
        .filter(attempt -> attempt.live())
        .flatMap(attempt -> attempt.members().stream())
        .flatMap(member -> member.gpus().stream())
        .map(GpuShare::serial)
        .toList();
  }

  private long free() {
    return new FleetCapacity(stores.inventory()::fleet, stores.reservations())
            .items(fairlead.operator())
            .getFirst()
            .free()
        / 1000;
  }

  private List<Quarantine> standing() {
    return stores.health().standing(node().cluster());
  }

  private void release() {
    var _ = operators.release(fairlead.operator(), node().name(), "exchanged", false);
    fairlead.pass(Duration.ofSeconds(5));
  }

  private SortedMap<String, String> tainted() {
    return eu.nodeNow(node().name()).orElseThrow().labelsAndTaints().gpus();
  }

  /** Fails when a quarantined GPU has no taint on its cluster, or the taint outlives it. */
  @Test
  void quarantinedGpuIsTaintedOnItsClusterUntilItsRelease() {
    Cluster cluster = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withNodeLabelsAndTaints(NodeLabelPolicy.POOL_AND_QUARANTINE)),
            null);
    report(DOUBLE_BIT, SICK);
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(tainted()).containsOnlyKeys(gpu(SICK));
    assertThat(tainted().get(gpu(SICK))).startsWith("XID-48");

    release();
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(tainted()).isEmpty();
  }

  /** Fails when the fault costs the node, or when the sick device is used again. */
  @Test
  void unhealthyGpuCostsOneGpuAndNotItsNode() {
    Incident fault = report(DOUBLE_BIT, SICK);
    assertThat(fault.isolation())
        .isEqualTo("GPU " + gpu(SICK) + " of node " + node().name() + " takes nothing new");
    assertThat(standing()).extracting(Quarantine::gpu).containsExactly(gpu(SICK));
    assertThat(node().state()).isEqualTo(NodeState.ACTIVE);
    assertThat(free()).as("without a report of the cluster").isEqualTo(EACH - 1);
    fairlead.pass(Duration.ofSeconds(30));
    assertThat(free()).as("after its reports").isEqualTo(EACH - 1);

    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      jobs.add(submit("job-" + i, 1));
    }
    fairlead.pass(Duration.ofSeconds(60));
    assertThat(jobs.stream().filter(job -> fairlead.state(job) == JobState.RUNNING))
        .hasSize(EACH - 1);
    assertThat(held()).doesNotContain(gpu(SICK));

    Job waits = jobs.getLast();
    assertThat(fairlead.state(waits)).isEqualTo(JobState.QUEUED);
    assertThat(stores.explanations().of(waits.id()).orElseThrow().explanation().blockers())
        .extracting(Blocker::message)
        .anySatisfy(text ->
            assertThat(text).satisfies(reason("quarantined-gpu-journey.gpu-nodes-quarantined", 1)));

    release();
    fairlead.pass(Duration.ofSeconds(60));
    assertThat(node().gpus().get(SICK).state()).isEqualTo(GpuState.HEALTHY);
    assertThat(fairlead.state(waits)).isEqualTo(JobState.RUNNING);
    assertThat(held()).contains(gpu(SICK));
  }

  /** Fails when a fault of a device that its node does not list leaves the node in use. */
  @Test
  void faultOfAnUnlistedGpuTakesItsNodeAndNamesTheReason() {
    Incident fault = report(DOUBLE_BIT, "MIG-5ca9e8b1-0000-4000-8000-000000000001");
    assertThat(fault.isolation()).contains("no such GPU", "node " + node().name());
    assertThat(node().state()).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when the holder returns to the device that failed it, or its neighbours are stopped. */
  @Test
  void holderMovesToAnotherGpuAndItsNeighboursKeepRunning() {
    Job held = fairlead.until(submit("held", 2), JobState.RUNNING);
    Job other = fairlead.until(submit("other", 2), JobState.RUNNING);
    String sick = fairlead.attempts(held).getFirst().members().getFirst().gpus().get(1).serial();
    int index = node().gpus().stream().map(g -> g.serial()).toList().indexOf(sick);

    report(DOUBLE_BIT, index);
    fairlead.pass(Duration.ofMinutes(3));

    assertThat(fairlead.attempts(other)).hasSize(1);
    assertThat(fairlead.attempts(held)).hasSize(2);
    assertThat(fairlead.attempts(held).getFirst().failure().cause())
        .isEqualTo(FailureCause.GPU_FAULT);
    fairlead.pass(Duration.ofMinutes(20));
    assertThat(fairlead.state(held)).as("on the same node").isEqualTo(JobState.RUNNING);
    assertThat(held()).hasSize(4).doesNotContain(sick);
    assertThat(stores.counters().compare()).isEmpty();
  }

  /**
   * Fails when a fault of the whole machine leaves the node in use, or creates a second quarantine.
   */
  @Test
  void worseningFaultTakesItsNodeOutOfUse() {
    Incident first = report(DOUBLE_BIT, SICK);
    Incident worse = report(OFF_THE_BUS, SICK);

    assertThat(worse.id()).isEqualTo(first.id());
    assertThat(worse.isolation()).isEqualTo("node " + node().name() + " takes nothing new");
    assertThat(standing()).singleElement().matches(Quarantine::ofNode);
    assertThat(node().state()).isEqualTo(NodeState.QUARANTINED);
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(free()).isZero();
    release();
    assertThat(free()).isEqualTo(EACH);
  }

  /** Fails when the end of one quarantine ends another of the node. */
  @Test
  void eachGpuReturnsWithItsOwnQuarantine() {
    report(DOUBLE_BIT, SICK);
    stores.clock().advance(Duration.ofHours(12));
    report(DOUBLE_BIT, SICK + 1);
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(free()).isEqualTo(EACH - 2);

    stores.clock().advance(Quarantine.UNHELD.minus(Duration.ofHours(12)));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(standing()).extracting(Quarantine::gpu).containsExactly(gpu(SICK + 1));
    assertThat(free()).isEqualTo(EACH - 1);
    assertThat(node().state()).isEqualTo(NodeState.ACTIVE);
  }

  /** Fails when an operator's order covers only the GPU, or outlasts its release. */
  @Test
  void operatorQuarantinesTheWholeNodeAndReleasesAllOfIt() {
    report(DOUBLE_BIT, SICK);
    var _ = operators.hold(fairlead.operator(), node().name(), "smells", null, false);
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(node().state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(standing()).allMatch(q -> "olga".equals(q.owner())).hasSize(2);

    release();
    assertThat(node().state()).isEqualTo(NodeState.ACTIVE);
    assertThat(free()).isEqualTo(EACH);
  }
}
