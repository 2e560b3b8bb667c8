package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Removed nodes leave the table that every report reads, and return unchanged. */
class RetiredNodesTest {
  private static final NodeReport ONE = NodeReports.node("node-1").build();
  private static final NodeReport TWO = NodeReports.node("node-2").build();
  private static final NodeReport THREE = NodeReports.node("node-3").build();
  private static final int MOVED = 10_000;
  private static final int MOST_READ = 500;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  @Test
  void returnedNodeRetainsItsIdAndItsCordon() {
    // Fails when a node that left is treated as a new node.
    world.report(ONE, TWO, THREE);
    Node three = named("node-3");
    stores.inventory().order(three.id(), NodeOrder.CORDON);
    world.report(ONE, TWO);

    retire();

    assertThat(hot("node-3")).isZero();
    Node left = stores.inventory().node(three.id()).orElseThrow();
    assertThat(left.state()).isEqualTo(NodeState.RETIRED);
    assertThat(left.gpus()).isEqualTo(three.gpus());
    assertThat(stores.inventory().cordons(world.cluster().id()))
        .containsExactly(new CordonedNode(three.id(), "node-3", Cordon.ORDERED));

    world.report(ONE, TWO, THREE);

    Node back = named("node-3");
    assertThat(back.id()).isEqualTo(three.id());
    assertThat(back.state()).isEqualTo(NodeState.CORDONED);
    assertThat(back.version()).isGreaterThan(left.version());
    assertThat(back.gpus()).isEqualTo(three.gpus());
    assertThat(stores.inventory().cordons(world.cluster().id())).hasSize(1);
    assertThat(world.report(ONE, TWO, THREE)).isZero();
  }

  @Test
  void quarantineEndsAWeekAfterItsNodeIsGoneAndItsIncidentIsRetainedForTwoYears() {
    // Fails when retention leaves quarantines of machines that never return, ends quarantines that
    // an operator holds, or retains all ended ones.
    world.report(ONE, TWO, THREE);
    Node three = named("node-3");
    Incident incident = incident(three);
    stores.health().write(incident);
    stores.health().write(quarantine(three, incident.id(), null));
    stores.health().write(quarantine(three, null, "olga"));
    world.report(ONE, TWO);
    retire();
    assertThat(stores.health().standing(three.cluster())).as("may come back").hasSize(2);

    stores.jdbc().sql("UPDATE node_retired SET retired_at = now() - interval '8 days'").update();
    retire();
    assertThat(stores.health().standing(three.cluster())).as("held by an operator").hasSize(2);

    stores
        .jdbc()
        .sql(
            "UPDATE quarantine SET released_at = now(), released = 'olga: back' WHERE owner ="
                + " 'olga'")
        .update();
    retire();
    assertThat(stores.health().standing(three.cluster())).isEmpty();
    assertThat(stores.health().open(List.of(three.id()))).isEmpty();

    RetentionStore rows = stores.bean(RetentionStore.class);
    assertThat(rows.clear(RetentionStore.Kind.INCIDENTS, Ages.DEFAULT, MOVED)).isZero();
    stores
        .jdbc()
        .sql("UPDATE incident SET ended_at = now() - interval '732 days' WHERE id = :id")
        .param("id", incident.id().value())
        .update();
    assertThat(rows.clear(RetentionStore.Kind.INCIDENTS, Ages.DEFAULT, MOVED)).isOne();
    assertThat(stores.health().incident(incident.id())).isEmpty();
    assertThat(stores.health().quarantinesOf(List.of(incident.id()))).isEmpty();
  }

  /** Fails when event followers do not get these ends. */
  @Test
  void endsOfDeletedNodesAndRemovedClustersAreEvents() {
    world.report(ONE, TWO, THREE);
    Node three = named("node-3");
    Incident incident = incident(three);
    stores.health().write(incident);
    stores.health().write(quarantine(three, incident.id(), null));
    world.report(ONE, TWO);
    retire();
    stores.jdbc().sql("UPDATE node_retired SET retired_at = now() - interval '8 days'").update();

    assertThat(endsWhileRetiring(three.cluster()))
        .containsExactlyInAnyOrder("IncidentEnded [node-3]", "NodeReleased [node-3]");

    stores.health().write(incident(named("node-1")));
    stores.inventory().remove(stores.inventory().cluster(three.cluster()).orElseThrow());
    assertThat(endsWhileRetiring(three.cluster())).containsExactly("IncidentEnded [node-1]");
  }

  /** Events of the cluster for readers of the fleet, with their nodes. */
  private List<String> endsWhileRetiring(ClusterId cluster) {
    EventPosition before = stores.events().head();
    retire();
    String name = stores.inventory().nameOf(cluster).orElseThrow();
    return stores.events().after(before, MOVED).stream()
        .filter(event -> event.tenant().equals(FleetEvents.FLEET))
        .map(EventRecord::fact)
        .filter(fact -> name.equals(fact.data().get(FleetFact.CLUSTER)))
        .map(fact -> fact.type() + " " + fact.data().get(FleetFact.NODES))
        .toList();
  }

  /**
   * Fails when names that no source repeats remain forever, or a device is removed with its
   * incident.
   */
  @Test
  void deviceUnseenForNinetyDaysIsDeletedUnlessAnIncidentRefersToIt() {
    world.report(ONE);
    Node one = named("node-1");
    Device.Update sick = device(one, "GPU-sick");
    Device.Update bare = device(one, "GPU-bare");
    DeviceStore devices = stores.bean(DeviceStore.class);
    devices.write(
        List.of(sick.device(), bare.device()),
        Stream.concat(sick.changes().stream(), bare.changes().stream()).toList());
    stores.health().write(incident(one, "GPU-sick"));
    RetentionStore rows = stores.bean(RetentionStore.class);
    assertThat(rows.clear(RetentionStore.Kind.DEVICES, Ages.DEFAULT, MOVED)).isZero();

    stores.jdbc().sql("UPDATE gpu_device SET last_seen = now() - interval '91 days'").update();
    assertThat(rows.clear(RetentionStore.Kind.DEVICES, Ages.DEFAULT, MOVED)).isPositive();
    assertThat(devices.called("GPU-bare")).isEmpty();
    assertThat(devices.history("GPU-bare", null, MOST_READ)).isEmpty();
    assertThat(devices.called("GPU-sick")).hasSize(1);
    assertThat(devices.history("GPU-sick", null, MOST_READ)).hasSize(2);

    stores
        .jdbc()
        .sql("UPDATE gpu_change SET at = now() - interval '732 days' WHERE gpu = 'GPU-sick'")
        .update();
    assertThat(rows.clear(RetentionStore.Kind.DEVICES, Ages.DEFAULT, MOVED)).isOne();
    assertThat(devices.history("GPU-sick", null, MOST_READ)).as("its incident").hasSize(1);
  }

  private Device.Update device(Node node, String uuid) {
    return Device.found(
        new DeviceObservation(
            uuid,
            null,
            node.cluster(),
            node.id(),
            node.name(),
            DeviceSource.INVENTORY,
            world.now()));
  }

  private Incident incident(Node node) {
    return incident(node, null);
  }

  private Incident incident(Node node, @Nullable String gpu) {
    Instant now = world.now();
    return new Incident(
        new IncidentId(stores.ids().next()),
        node.cluster(),
        node.id(),
        node.name(),
        gpu,
        null,
        79,
        "XID 79",
        FaultScope.NODE,
        RepairStep.REBOOT,
        now,
        now,
        1,
        "",
        null);
  }

  @Test
  void nodeGoneForAWeekLosesItsRackAndALongEndedRackIsDeleted() {
    // Fails when each machine that left a rack adds a permanent row, or a rack is removed before
    // its rows.
    world.report(ONE, TWO, THREE);
    Node three = named("node-3");
    DomainQuarantine rack = quarantinedRack(three);
    world.report(ONE, TWO);
    retire();
    stores.jdbc().sql("UPDATE node_retired SET retired_at = now() - interval '8 days'").update();
    retire();
    assertThat(stores.health().standing(three.cluster())).isEmpty();

    stores.health().write(rack.released(world.now(), "olga: cooled"));
    String old = " SET released_at = now() - interval '732 days' WHERE released_at IS NOT NULL";
    stores.jdbc().sql("UPDATE domain_quarantine" + old).update();
    RetentionStore rows = stores.bean(RetentionStore.class);
    rows.clear(RetentionStore.Kind.INCIDENTS, Ages.DEFAULT, MOVED);
    assertThat(stores.health().domain(rack.id())).as("a row refers to it").isPresent();
    stores.jdbc().sql("UPDATE quarantine" + old).update();
    rows.clear(RetentionStore.Kind.INCIDENTS, Ages.DEFAULT, MOVED);
    rows.clear(RetentionStore.Kind.INCIDENTS, Ages.DEFAULT, MOVED);
    assertThat(stores.health().domain(rack.id())).isEmpty();
  }

  /**
   * Fails when nodes of a domain are locked or written one by one, in service or not: of thousands
   * that is longer than a transaction may last.
   */
  @Test
  void largeDomainStartsAndEndsInAsFewStatementsAsASmallOne() {
    assertThat(statements("two", 2)).isEqualTo(statements("many", 40));
  }

  /** At the start, and at the end, when half of the nodes have left. */
  private List<Integer> statements(String rack, int nodes) {
    List<NodeReport> all = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      all.add(NodeReports.node(rack + "-" + i).topology("rack", rack).build());
    }
    int _ = reported(all);
    DomainQuarantine domain = rack(world.cluster().id(), rack);
    stores.health().write(domain);
    List<Node> its = stores.inventory().nodes(domain.cluster());
    int begin =
        statements(() ->
            stores.inventory().order(its.stream().map(Node::id).toList(), NodeOrder.QUARANTINE));
    DomainNodes.settle(
        stores.health(), stores.inventory(), domain.cluster(), its, stores.ids(), world.now());
    assertThat(DomainNodes.of(stores.health(), domain)).hasSize(nodes);
    int _ = reported(all.subList(0, nodes / 2));
    retire();
    int end =
        statements(() ->
            DomainNodes.end(
                stores.health(),
                stores.inventory(),
                List.of(domain),
                DomainQuarantine::over,
                world.now()));
    assertThat(DomainNodes.of(stores.health(), domain)).isEmpty();
    return List.of(begin, end);
  }

  /** The statements of the change that write or lock. */
  private int statements(Runnable change) {
    return stores
        .transactions()
        .forAllTenants(() -> {
          change.run();
          return Integer.parseInt(
              stores
                  .jdbc()
                  .sql("UPDATE cluster SET name = name WHERE id = :id RETURNING cmin")
                  .param("id", world.cluster().id().value())
                  .query(String.class)
                  .single());
        });
  }

  /** Fails when a cluster cannot be removed while one of its domains is out of service. */
  @Test
  void clusterIsDeletedWithItsQuarantinedDomains() {
    world.report(ONE, TWO, THREE);
    DomainQuarantine rack = quarantinedRack(named("node-3"));
    stores.inventory().remove(stores.inventory().cluster(rack.cluster()).orElseThrow());
    assertThat(stores.health().domain(rack.id())).isEmpty();
    assertThat(stores.health().standing(rack.cluster())).isEmpty();
  }

  /** With the row of its one node. */
  private DomainQuarantine quarantinedRack(Node node) {
    DomainQuarantine rack = rack(node.cluster(), "r0");
    stores.health().write(rack);
    Quarantine own = quarantine(node, null, "olga");
    stores
        .health()
        .write(
            Quarantine.begun(
                    own.id(),
                    own.cluster(),
                    own.node(),
                    rack.cause(),
                    rack.owner(),
                    own.since(),
                    null)
                .withDomain(rack.id()));
    return rack;
  }

  private DomainQuarantine rack(ClusterId cluster, String name) {
    return new DomainQuarantine(
        new DomainQuarantineId(stores.ids().next()),
        cluster,
        "rack",
        name,
        "cooling fails",
        "olga",
        world.now(),
        null,
        null,
        null,
        1);
  }

  private Quarantine quarantine(Node node, @Nullable IncidentId incident, @Nullable String owner) {
    return Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            node.cluster(),
            node.id(),
            "XID 79",
            owner,
            world.now(),
            owner == null ? world.now().plus(Quarantine.UNHELD) : null)
        .withIncident(incident);
  }

  @Test
  void orderReachesADepartedNode() {
    world.report(ONE, TWO, THREE);
    NodeId three = named("node-3").id();
    stores.inventory().order(three, NodeOrder.CORDON);
    world.report(ONE, TWO);
    retire();

    stores.inventory().order(three, NodeOrder.UNCORDON);
    world.report(ONE, TWO, THREE);

    assertThat(named("node-3").state()).isEqualTo(NodeState.ACTIVE);
  }

  @Test
  void aNodeStaysWhileALiveAttemptHasAMemberThere() {
    // Fails when only the state of the node decides: its allocation must be released from the
    // former node.
    Attempt attempt = world.run(world.place(world.submit(Specs.job("runs").gpus(1))));
    world.report(TWO);

    retire();
    assertThat(hot("node-1")).isOne();

    world.succeed(attempt);
    retire();
    assertThat(hot("node-1")).isZero();
  }

  @Test
  void reportWaitsOnlyForTheNodesThatChanged() throws Exception {
    // Fails when a report locks every node of its cluster.
    world.report(ONE, TWO);
    NodeId one = named("node-1").id();
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      stores
          .transactions()
          .run(() -> {
            stores
                .jdbc()
                .sql("SELECT id FROM node WHERE id = :id FOR UPDATE")
                .param("id", one.value())
                .query(Object.class)
                .single();
            assertThat(
                    within(
                        other,
                        () -> world.report(ONE, NodeReports.node("node-2").cordoned().build())))
                .isOne();
          });
    }
  }

  private int reported(List<NodeReport> reports) {
    return stores.inventory().report(world.cluster().id(), reports);
  }

  private void retire() {
    RetentionStore old = stores.bean(RetentionStore.class);
    int moved = 1;
    while (moved > 0) {
      moved = old.clear(RetentionStore.Kind.NODES, Ages.DEFAULT, MOVED);
    }
  }

  private Node named(String name) {
    return stores.inventory().nodes(world.cluster().id()).stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private long hot(String name) {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM node WHERE cluster = :cluster AND name = :name")
        .param("cluster", world.cluster().id().value())
        .param("name", name)
        .query(Long.class)
        .single();
  }

  private static int within(ExecutorService other, Callable<Integer> work) {
    try {
      return other.submit(work).get(60, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }
}
