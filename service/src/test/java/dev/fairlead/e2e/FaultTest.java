package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.Devices;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeMarking;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.cluster.service.CapacityItem;
import dev.fairlead.fleet.cluster.service.ClusterCapacity;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A fault of a GPU under a running job, from the monitor's report to the job's next start. */
class FaultTest {
  private static final int POOL = 8;
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(19);
  private final SimulatedCluster eu = fairlead.register("eu", new FleetPool(POOL, 8, "H100", 1, 1));
  private final MemoryStores stores = fairlead.stores();
  private final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  private final DeviceIntake monitors =
      new DeviceIntake(stores.transactions(), stores.inventory(), stores.devices(), stores.clock());
  private final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          monitors,
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final QuarantineCommands commands =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  private int events;

  private Job running(String name, int gpus) {
    Specs spec = Specs.job(name).gpus(gpus).annotation("sim.fairlead.dev/run-for", "10m");
    return fairlead.until(fairlead.submit(spec), JobState.RUNNING);
  }

  private Attempt newest(Job job) {
    return fairlead.attempts(job).getLast();
  }

  private Node nodeOf(Job job) {
    return node(newest(job).members().getFirst().nodeName());
  }

  private Node node(String name) {
    return stores.inventory().nodes(null).stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Intake report(int xid, Node node, int gpu) {
    return report(xid, node, gpu, stores.clock().instant());
  }

  private Intake report(int xid, Node node, int gpu, Instant at) {
    events++;
    HealthEvent event =
        new HealthEvent(
            "e-" + events, at, node.name(), node.gpus().get(gpu).serial(), null, xid, "");
    return intake.take(fairlead.operator(), "eu", List.of(event)).getFirst();
  }

  private Incident incident(Intake intake) {
    return stores.health().incident(intake.incident().id()).orElseThrow();
  }

  @Test
  void aFaultMovesItsHolderAloneAndSpendsNoRetry() {
    // Fails when reports heal the node, when its neighbours are stopped, or when a retry is spent.
    Job held = running("held", 8);
    Job other = running("other", 8);
    Node sick = nodeOf(held);
    fairlead.pass(Duration.ofSeconds(90));

    Intake taken = report(79, sick, 3);
    assertThat(taken.outcome()).isEqualTo(Intake.Outcome.STORED);
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);
    fairlead.pass(Duration.ofSeconds(59));

    Attempt first = fairlead.attempts(held).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(first.failure().message())
        .isEqualTo(
            "XID 79 (GPU has fallen off the bus) on GPU "
                + sick.gpus().get(3).serial()
                + ", node "
                + sick.name()
                + "; lost 12 GPU-minutes since its start");
    assertThat(fairlead.stores().events().after(EventPosition.START, 1000))
        .as("events say it too")
        .anyMatch(e ->
            e.fact().type().equals("AttemptFailed")
                && first.failure().message().equals(e.fact().data().get("message")));
    assertThat(fairlead.state(held)).isEqualTo(JobState.RUNNING);
    assertThat(nodeOf(held).name()).isNotEqualTo(sick.name());
    assertThat(fairlead.job(held).run().failures()).isZero();
    assertThat(fairlead.attempts(other)).hasSize(1);
    assertThat(node(sick.name()).state()).isEqualTo(NodeState.QUARANTINED);
  }

  /** Fails when a gang's nodes are not reserved from the stop order on, or are never released. */
  @Test
  void aGangComesBackOnItsOtherNodesAndItsPlaceIsNotKeptLonger() {
    Job gang =
        fairlead.until(
            fairlead.submit(
                Specs.job("gang").workers(4).gpus(8).annotation("sim.fairlead.dev/run-for", "10m")),
            JobState.RUNNING);
    for (int i = 0; i < POOL - 4; i++) {
      running("fills-" + i, 8);
    }
    Job waits = fairlead.submit(Specs.job("waits").gpus(8));
    List<String> before = nodes(gang);
    Node sick = node(before.get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(5));
    Reservation kept = stores.reservations().all().getFirst();
    assertThat(kept.kind()).isEqualTo(Reservation.Kind.FAULT);
    assertThat(kept.job()).isEqualTo(gang.id());
    fairlead.pass(Duration.ofSeconds(55));
    assertThat(fairlead.state(waits)).as("others get no kept place").isEqualTo(JobState.QUEUED);
    assertThat(
            new ClusterCapacity(stores.inventory()::fleet, stores.reservations())
                .items(fairlead.operator())
                .getFirst()
                .kept())
        .isEqualTo(24_000);

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    fairlead.pass(Duration.ofSeconds(150));
    assertThat(fairlead.attempts(gang)).hasSize(2);
    assertThat(nodes(gang)).containsExactlyInAnyOrderElementsOf(before);
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.reservations().all()).isEmpty();
  }

  /** Fails when one fault ends the members of an elastic gang that can continue without another. */
  @Test
  void anElasticGangRunsOnWithoutTheMemberThatAFaultTakes() {
    Job gang =
        fairlead.until(
            fairlead.submit(
                Specs.job("elastic")
                    .workers(4)
                    .minWorkers(2)
                    .gpus(8)
                    .torchrun()
                    .annotation("sim.fairlead.dev/run-for", "30m")),
            JobState.RUNNING);
    Node sick = node(nodes(gang).get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(gang)).hasSize(1);
    assertThat(newest(gang).core())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3");
    assertThat(newest(gang).left()).extracting(Member::nodeName).containsExactly(sick.name());
    assertThat(eu.processes()).hasSize(3);
    assertThat(stores.reservations().all()).isEmpty();
    assertThat(stores.counters().compare()).isEmpty();

    fairlead.pass(Duration.ofMinutes(6));
    assertThat(newest(gang).core())
        .as("another takes its place")
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
    assertThat(nodes(gang)).doesNotContain(sick.name());
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.counters().compare()).isEmpty();
    fairlead.pass(Duration.ofMinutes(32));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.SUCCEEDED);
  }

  private Job repaired(int max) {
    return fairlead.until(
        fairlead.submit(
            Specs.job("repaired")
                .workers(4)
                .gpus(8)
                .repaired(max)
                .annotation("sim.fairlead.dev/run-for", "30m")),
        JobState.RUNNING);
  }

  /** Fails when a fault of one member moves the others of a gang that is repaired. */
  @Test
  void anotherMemberTakesThePlaceOfTheFaultyOneAndTheOthersKeepTheirs() {
    Job gang = repaired(1);
    List<String> before = nodes(gang);
    Node sick = node(before.get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(gang)).hasSize(1);
    assertThat(newest(gang).core())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
    String by = newest(gang).members().getLast().nodeName();
    assertThat(nodes(gang)).contains(before.get(0), before.get(2), before.get(3), by);
    assertThat(nodes(gang)).doesNotContain(sick.name());
    assertThat(newest(gang).left()).extracting(Member::nodeName).containsExactly(sick.name());
    assertThat(eu.processes()).hasSize(4);
    assertThat(stores.counters().compare()).isEmpty();
    assertThat(stores.events().after(EventPosition.START, 1000))
        .as("its owner reads it")
        .anyMatch(e ->
            "worker-1 of 4 members is replaced by worker-4: %s -> %s"
                .formatted(sick.name(), by)
                .equals(e.fact().data().get("message")));

    fairlead.pass(Duration.ofMinutes(32));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.job(gang).run().failures()).isZero();
  }

  /**
   * Fails when a gang without a possible repair waits without end, or its job is charged for it.
   */
  @Test
  void withoutAPlaceForAnotherMemberTheGangIsMovedAsBefore() {
    Job gang = repaired(1);
    for (int i = 0; i < POOL - 4; i++) {
      running("fills-" + i, 8);
    }
    Node sick = node(nodes(gang).get(1));

    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(newest(gang).state()).isEqualTo(AttemptState.RUNNING);
    fairlead.pass(Duration.ofSeconds(60));

    Attempt first = fairlead.attempts(gang).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.FAILED);
    assertThat(first.failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(stores.reservations().all().getFirst().kind()).isEqualTo(Reservation.Kind.FAULT);
    fairlead.pass(Duration.ofMinutes(12));
    assertThat(fairlead.state(gang)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.job(gang).run().failures()).isZero();
    assertThat(stores.counters().compare()).isEmpty();
  }

  private List<String> nodes(Job job) {
    return newest(job).members().stream().map(Member::nodeName).toList();
  }

  @Test
  void aGpuFaultLeavesOtherGpusOfItsNodeAlone() {
    Job one = running("one", 1);
    Job two = running("two", 1);
    Node node = nodeOf(one);
    assertThat(nodeOf(two).name()).as("both fit on one node").isEqualTo(node.name());
    int index = newest(two).members().getFirst().gpus().getFirst().index();

    report(48, node, index);
    fairlead.pass(Duration.ofSeconds(60));

    assertThat(fairlead.attempts(one)).hasSize(1);
    assertThat(fairlead.attempts(two)).hasSize(2);
    assertThat(newest(two).members().getFirst().gpus())
        .extracting(GpuShare::serial)
        .doesNotContain(node.gpus().get(index).serial());
  }

  @Test
  void capacityNeverCountsAQuarantinedNodeUntilItIsReleased() {
    fairlead.pass(Duration.ofSeconds(5));
    Node sick = stores.inventory().nodes(null).getFirst();
    report(79, sick, 0);
    assertThat(free()).isEqualTo(8L * (POOL - 1));

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    assertThat(free()).as("the cluster has not shown it yet").isEqualTo(8L * (POOL - 1));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(free()).isEqualTo(8L * POOL);
    assertThat(stores.health().incidents(null, null, 9)).allMatch(i -> i.endedAt() != null);
    assertThatThrownBy(() -> commands.release(fairlead.operator(), sick.name(), "again", false))
        .isInstanceOf(Refusal.class);
  }

  /**
   * Fails when a quarantine is not on its node, reveals an operator's text there, or remains after
   * its end.
   */
  @Test
  void aNodeShowsWhyItIsKeptOutUntilItIsReleased() {
    Cluster cluster = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().marking(NodeMarking.POOL_AND_QUARANTINE)),
            null);
    fairlead.pass(Duration.ofSeconds(2));
    Node sick = stores.inventory().nodes(null).getFirst();
    Node suspect = stores.inventory().nodes(null).getLast();
    commands.hold(fairlead.operator(), suspect.name(), "call Ana", null, false);
    commands.hold(fairlead.operator(), sick.name(), "before the fault", null, false);
    report(79, sick, 3);
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(shown(suspect)).isEqualTo(new NodeLabelsAndTaints(null, "operator"));
    assertThat(shown(sick).quarantine())
        .startsWith("XID-79-GPU-has-fallen-off-the-bus")
        .hasSizeLessThanOrEqualTo(63);
    assertThat(node(sick.name()).taints()).as("placement goes by the row").isEmpty();

    commands.release(fairlead.operator(), sick.name(), "exchanged", false);
    fairlead.pass(Duration.ofSeconds(12));
    assertThat(shown(sick)).isEqualTo(NodeLabelsAndTaints.NONE);
    assertThat(shown(suspect)).isEqualTo(new NodeLabelsAndTaints(null, "operator"));
  }

  private NodeLabelsAndTaints shown(Node node) {
    return eu.nodeNow(node.name()).orElseThrow().marks();
  }

  @Test
  void theDeviceOfAFaultIsKnownFromThenOn() {
    // Fails when a fault names a device without storing it.
    fairlead.pass(Duration.ofSeconds(5));
    Node sick = stores.inventory().nodes(null).getFirst();
    report(79, sick, 0);
    commands.release(fairlead.operator(), sick.name(), "exchanged", false);

    Devices devices = new Devices(stores.devices(), stores.inventory());
    String uuid = sick.gpus().getFirst().serial();
    assertThat(devices.one(uuid).device().nodeName()).isEqualTo(sick.name());
    assertThat(devices.one(uuid).cluster()).isEqualTo("eu");
    assertThat(devices.history(uuid, null, 9).stream().map(DeviceChange::kind))
        .containsExactlyInAnyOrder(
            DeviceChange.Kind.FOUND,
            DeviceChange.Kind.INCIDENT,
            DeviceChange.Kind.QUARANTINED,
            DeviceChange.Kind.RELEASED);
    assertThatThrownBy(() -> devices.one("GPU-never-seen")).isInstanceOf(Refusal.class);
  }

  private long free() {
    CapacityItem item =
        new ClusterCapacity(stores.inventory()::fleet, stores.reservations())
            .items(fairlead.operator())
            .getFirst();
    return item.free() / 1000;
  }

  @Test
  void aQuarantineEndsAfterADayUnlessAnOperatorHoldsIt() {
    // Fails when an incident that is neither ended nor held never ends.
    fairlead.pass(Duration.ofSeconds(5));
    List<Node> nodes = stores.inventory().nodes(null);
    report(79, nodes.get(0), 0);
    report(79, nodes.get(1), 0);
    commands.hold(fairlead.operator(), nodes.get(1).name(), "waits for a part", null, false);
    stores.clock().advance(Quarantine.UNHELD);
    fairlead.pass(Duration.ofSeconds(5));

    assertThat(node(nodes.get(0).name()).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(node(nodes.get(1).name()).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(stores.health().standing(nodes.get(1).cluster()))
        .extracting(Quarantine::owner)
        .containsExactly("olga");
  }

  @Test
  void anOperatorQuarantinesAndReleasesWithoutAnyIncident() {
    Job job = running("goes-on", 8);
    Node node = nodeOf(job);
    commands.hold(fairlead.operator(), node.name(), "smells", Duration.ofHours(1), false);
    fairlead.pass(Duration.ofSeconds(5));

    assertThat(node(node.name()).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(fairlead.attempts(job)).as("what runs goes on").hasSize(1);
    stores.clock().advance(Duration.ofHours(1));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(stores.health().standing(node.cluster())).isEmpty();
  }

  @Test
  void aBurstIsOneIncidentWithItsStrongestCause() {
    fairlead.pass(Duration.ofSeconds(5));
    Node node = stores.inventory().nodes(null).getFirst();
    Incident first = incident(report(48, node, 0));
    stores.clock().advance(Duration.ofSeconds(100));
    report(45, node, 0);
    report(79, node, 0);
    stores.clock().advance(Duration.ofSeconds(181));
    Intake late = report(160, node, 0);

    Incident after = incident(late);
    assertThat(after.id()).isEqualTo(first.id());
    assertThat(after.cause()).satisfies(reason("fault.xid-gpu-fallen-off", 79));
    assertThat(after.events()).isEqualTo(4);
    assertThat(stores.health().standing(node.cluster())).hasSize(1);
  }

  @Test
  void repeatsReplaysAndTheUnknownIsolateNothing() {
    fairlead.pass(Duration.ofSeconds(5));
    Node node = stores.inventory().nodes(null).getFirst();
    Instant now = stores.clock().instant();

    assertThat(report(163, node, 0).incident()).as("unknown code").isNull();
    assertThat(report(79, node, 0, now.minus(Duration.ofHours(2))).incident())
        .as("hours late")
        .isNull();
    assertThat(report(79, node, 0, now.plus(Duration.ofMinutes(6))).outcome())
        .isEqualTo(Intake.Outcome.REFUSED);
    HealthEvent elsewhere = new HealthEvent("e-x", now, "no-such-node", null, null, 79, "");
    Intake unknown = intake.take(fairlead.operator(), "eu", List.of(elsewhere)).getFirst();
    assertThat(unknown.outcome()).isEqualTo(Intake.Outcome.STORED);
    assertThat(unknown.detail()).contains("has no node no-such-node");
    assertThat(intake.take(fairlead.operator(), "eu", List.of(elsewhere)).getFirst().outcome())
        .isEqualTo(Intake.Outcome.DUPLICATE);
    assertThat(stores.health().incidents(null, null, 9)).isEmpty();

    report(79, node, 0);
    commands.release(fairlead.operator(), node.name(), "repaired", false);
    assertThat(report(79, node, 0, now).incident()).as("from before the release").isNull();
    assertThat(stores.health().standing(node.cluster())).isEmpty();
  }

  @Test
  void theBreakerStopsQuarantinesAndSaysSo() {
    // Fails when a monitor with reports about every node isolates the cluster.
    fairlead.pass(Duration.ofSeconds(5));
    List<Node> nodes = stores.inventory().nodes(null);
    nodes.forEach(node -> report(79, node, 0));

    assertThat(stores.health().standing(nodes.getFirst().cluster())).hasSize(2);
    Incident shown = incident(report(79, nodes.getLast(), 1));
    assertThat(shown.isolation())
        .satisfies(reason("fault.isolated-gpu-nodes-cluster", 2, 8, 2));
    assertThat(node(nodes.getLast().name()).state()).isEqualTo(NodeState.ACTIVE);
    commands.hold(fairlead.operator(), nodes.getLast().name(), "by hand", null, false);
    assertThat(node(nodes.getLast().name()).state()).isEqualTo(NodeState.QUARANTINED);
  }

  private Incident reportOf(String cluster, Node node) {
    events++;
    HealthEvent event =
        new HealthEvent("e-" + events, stores.clock().instant(), node.name(), null, null, 79, "");
    return incident(intake.take(fairlead.operator(), cluster, List.of(event)).getFirst());
  }

  private List<Node> nodesOf(String cluster) {
    return stores.inventory().nodes(null).stream()
        .filter(node -> stores.inventory().nameOf(node.cluster()).equals(Optional.of(cluster)))
        .toList();
  }

  private List<Incident> reportAll(String cluster) {
    return nodesOf(cluster).stream().map(node -> reportOf(cluster, node)).toList();
  }

  /** Fails when faults that are few in their cluster isolate a whole pool. */
  @Test
  void theBreakerOfAPoolKeepsHalfOfIt() {
    fairlead.register("us", new FleetPool(6, 8, "H100", 1, 1), new FleetPool(2, 8, "H200", 1, 1));
    fairlead.pass(Duration.ofSeconds(5));
    stores
        .pools()
        .insert(
            new Pool(
                new PoolId(stores.ids().next()),
                "large",
                null,
                new PoolSelector(List.of(), List.of("H200"), new TreeMap<>(), List.of()),
                "",
                Spares.NONE,
                1));
    int _ = stores.inventory().assign(stores.pools().pools());

    List<String> said =
        stores.inventory().nodes(null).stream()
            .filter(node -> node.pool() != null)
            .map(node -> reportOf("us", node).isolation())
            .toList();

    assertThat(said).hasSize(2);
    assertThat(said.getFirst()).endsWith("takes nothing new");
    assertThat(said.getLast())
        .satisfies(reason("fault.isolated-gpu-nodes-pool", 1, 2, "large"));
  }

  /** Fails when each of many small clusters loses the one node that it may lose. */
  @Test
  void theBreakerOfTheFleetCountsAllClusters() {
    for (int i = 1; i <= 12; i++) {
      fairlead.register("c" + i, new FleetPool(1, 8, "H100", 1, 1));
    }
    fairlead.pass(Duration.ofSeconds(5));
    for (int i = 1; i <= 8; i++) {
      assertThat(reportAll("c" + i).getFirst().isolation()).endsWith("takes nothing new");
    }
    assertThat(reportAll("c9").getFirst().isolation())
        .satisfies(reason("fault.isolated-gpu-nodes-fleet", 8, 20));

    Node any =
        stores.inventory().nodes(null).stream()
            .filter(node -> node.state() == NodeState.QUARANTINED)
            .findFirst()
            .orElseThrow();
    commands.release(fairlead.operator(), any.id().text(), "exchanged", false);
    assertThat(reportAll("c9").getFirst().isolation()).endsWith("takes nothing new");
  }
}
