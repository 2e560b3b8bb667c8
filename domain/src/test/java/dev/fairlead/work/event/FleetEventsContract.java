package dev.fairlead.work.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of every {@link FleetEvents}: one event for each change, and no more than its reader may
 * see.
 */
public abstract class FleetEventsContract {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private TestWorld world;
  private EventPosition before;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    before = stores.events().head();
  }

  @Test
  void eachNodeChangeIsOneEventDespiteRepeatedReports() {
    NodeReport two = NodeReports.node("node-2").build();
    for (NodeReport one :
        List.of(
            NodeReports.node("node-1").cordoned().build(),
            NodeReports.node("node-1").build(),
            NodeReports.node("node-1").notReady().build(),
            NodeReports.node("node-1").notice(NodeNotice.Kind.SPOT, NOW).build(),
            NodeReports.node("node-1").build())) {
      int _ = world.report(one, two);
      int _ = world.report(one, two);
    }
    int _ = world.report(two);
    int _ = world.report(two);

    List<EventRecord> events = fleet();
    assertThat(types(events))
        .containsExactly(
            "NodeCordoned",
            "NodeReturned",
            "NodeLost",
            "NodeNotice",
            "NodeCordoned",
            "NodeNoticeWithdrawn",
            "NodeReturned",
            "NodeRemoved");
    assertThat(events.stream().map(EventRecord::version)).isSorted();
    assertThat(events)
        .allMatch(event -> event.subject() == IdKind.NODE)
        .allMatch(event -> event.fact().data().get("nodes").equals(List.of("node-1")))
        .allMatch(event -> event.fact().data().get("cluster").equals(world.cluster().name()));
    assertThat(events.get(3).fact().data())
        .containsEntry("notice", "SPOT")
        .containsEntry("deadline", NOW.toString());
  }

  @Test
  void newNodeHasAnEventOnlyIfItsMachineHasANotice() {
    int _ =
        world.report(
            NodeReports.node("node-1").build(),
            NodeReports.node("node-2").build(),
            NodeReports.node("spot-1").notice(NodeNotice.Kind.SPOT, NOW).build(),
            NodeReports.node("spot-2").build());

    List<EventRecord> fresh = found(place("nodes", "spot-1"), true);
    assertThat(types(fresh)).containsExactly("NodeNotice");
    assertThat(fresh.getFirst().version()).isEqualTo(world.node("spot-1").version());
    assertThat(fresh.getFirst().fact().data()).containsEntry("deadline", NOW.toString());
    assertThat(found(place("nodes", "spot-2"), true)).isEmpty();
  }

  @Test
  void actorOfAClusterChangeIsTheSupervisorUnlessOrdered() {
    Stream.of(
            ClusterState.UNREACHABLE,
            ClusterState.DRAINING,
            ClusterState.DISABLED,
            ClusterState.ACTIVE,
            ClusterState.DEGRADED)
        .forEach(state -> {
          Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
          stores.inventory().update(cluster.in(state));
        });

    assertThat(fleet())
        .extracting(event -> event.fact().type() + " by " + event.actor())
        .containsExactly(
            "ClusterUnreachable by supervisor",
            "ClusterDraining by fleet",
            "ClusterDisabled by fleet",
            "ClusterRecovered by fleet",
            "ClusterDegraded by supervisor");
  }

  @Test
  void ordersWriteEventsAndRepeatedOrdersDoNot() {
    Node node = world.node("node-1");
    Stream.of(NodeOrder.CORDON, NodeOrder.CORDON, NodeOrder.DRAIN, NodeOrder.DRAIN)
        .forEach(order -> stores.inventory().order(List.of(node.id()), order));

    assertThat(types(fleet())).containsExactly("NodeCordoned", "NodeDraining");
    assertThat(fleet().getLast().fact().data()).containsEntry("was", "CORDONED");
  }

  @Test
  void incidentsAndQuarantinesPublishOneStartAndOneEnd() {
    Node node = world.node("node-1");
    Incident incident = incident(node, null);
    Quarantine quarantine = quarantine(node, incident, "node-1/3");
    write(incident, quarantine);
    write(incident.isolation("node quarantined"), quarantine.of(null));
    write(incident.ended(NOW), quarantine.of(null).released(NOW, "ana: exchanged"));
    write(incident.ended(NOW), quarantine.of(null).released(NOW, "ana: exchanged"));

    assertThat(types(fleet()))
        .containsExactly(
            "IncidentOpened", "GpuQuarantined", "NodeQuarantined", "IncidentEnded", "NodeReleased");
    assertThat(types(found(place("incident", incident.id().text()), true))).hasSize(5);
    assertThat(fleet().getFirst().fact().data()).containsEntry("cause", incident.cause());
  }

  @Test
  void projectSeesOnlyTheNodesOfItsJobs() {
    TestWorld other = TestWorld.in(stores);
    before = stores.events().head();
    Attempt attempt = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    Incident here = incident(world.node("node-1"), null);
    Incident there = incident(world.node("node-2"), null);
    write(here, quarantine(world.node("node-1"), here, null));
    write(there, quarantine(world.node("node-2"), there, null));
    Attempt _ = world.succeed(world.run(attempt));
    write(here.ended(NOW));
    write(there.ended(NOW));

    List<EventRecord> mine = own(world.tenant().id());
    assertThat(types(mine)).containsExactly("IncidentOpened", "NodeQuarantined", "IncidentEnded");
    assertThat(mine).allMatch(event -> world.project().id().equals(event.project()));
    assertThat(mine.getLast().fact().data())
        .containsEntry("jobs", List.of("mine"))
        .containsEntry("jobCount", 1)
        .containsEntry("nodes", List.of("node-1"))
        .doesNotContainKeys("cause", "owner", "serial");
    assertThat(own(other.tenant().id())).as("events of another tenant").isEmpty();
    assertThat(types(fleet())).as("each once for the fleet").hasSize(6);
  }

  @Test
  void projectsOnOneNodeDoNotSeeEachOthersJobs() {
    Project second = world.newProject("second");
    stores.tenants().insert(second);
    Attempt _ = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    Job job =
        world.submit(world.newJob(Specs.job("theirs").gpus(1).build(), second, world.queue()));
    Attempt _ = world.place(job, 0, "node-1");
    stores.inventory().order(List.of(world.node("node-1").id()), NodeOrder.CORDON);

    assertThat(own(world.tenant().id()))
        .extracting(event -> event.project() + " " + event.fact().data().get("jobs"))
        .containsExactlyInAnyOrder(world.project().id() + " [mine]", second.id() + " [theirs]");
  }

  @Test
  void faultOfAGpuSlotReachesOnlyItsHolder() {
    Attempt _ = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    Node node = world.node("node-1");
    write(incident(node, "node-1/0"));
    write(incident(node, "node-1/7"));
    write(incident(node, "GPU-of-a-device-plugin"));
    write(incident(node, "node-1/6").with().scope(FaultScope.NODE).build());

    assertThat(own(world.tenant().id()))
        .extracting(event -> event.fact().data().get("gpu"))
        .as("its slot, a device that any slot may be, and the machine of all jobs")
        .containsExactly("node-1/0", "GPU-of-a-device-plugin", null);
    assertThat(fleet().getLast().fact().data()).containsEntry("gpu", "node-1/6");
  }

  /** Fails when a user learns about a device that another job on the node holds. */
  @Test
  void faultOfAnObservedDeviceReachesItsHolderAndHoldersOfUnknownDevices() {
    String held = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
    Attempt mine = world.run(world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1"));
    Node node = world.node("node-1");
    Incident first = incident(node, held);
    write(first);
    write(first.ended(NOW));
    assertThat(own(world.tenant().id())).as("its device is unknown").hasSize(2);
    Attempt _ =
        world.reported(mine, DeviceReporter.POD_STATUS, List.of(new HeldDevice(held, false)));
    write(incident(node, held));
    write(incident(node, "GPU-5ca9e8b1-0000-4000-8000-000000000002"));

    assertThat(own(world.tenant().id()))
        .filteredOn(event -> event.fact().type().equals("IncidentOpened"))
        .extracting(event -> event.fact().data().get("gpu"))
        .containsExactly(held, held);
    write(incident(node, "MIG-of-any-device"));
    assertThat(own(world.tenant().id())).as("its device is not named").hasSize(4);
  }

  @Test
  void outageOfManyNodesIsAFewEventsThatNameEachNode() {
    int _ = world.report(many(250, false));
    before = stores.events().head();
    int _ = world.report(many(250, true));

    List<EventRecord> events = fleet();
    assertThat(types(events)).containsExactly("NodeLost", "NodeLost", "NodeLost");
    assertThat(events.getFirst().subject()).isEqualTo(IdKind.CLUSTER);
    assertThat(events.getFirst().version()).isEqualTo(world.cluster().version());
    assertThat(events.getFirst().fact().data()).containsEntry("was", "ACTIVE");
    assertThat(types(found(place("nodes", "many-249"), true))).containsExactly("NodeLost");
    assertThat(types(found(place("nodes", "many-250"), true))).isEmpty();
  }

  /**
   * Fails when a quarantine that started together with others ends without an event for a tenant.
   */
  @Test
  void simultaneousQuarantinesReachAProjectOneByOne() {
    NodeReport[] ten =
        Stream.concat(Stream.of(NodeReports.node("node-1").build()), Stream.of(many(9, false)))
            .toArray(NodeReport[]::new);
    Attempt attempt = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    int _ = world.report(ten);
    before = stores.events().head();
    List<Quarantine> together =
        stores.inventory().nodes(world.cluster().id()).stream()
            .map(node -> {
              Incident incident = incident(node, null);
              write(incident);
              return quarantine(node, incident, null);
            })
            .toList();
    stores.transactions().run(() -> stores.health().write(together));
    Attempt _ = world.succeed(world.run(attempt));
    List<Quarantine> ended = together.stream().map(q -> q.released(NOW, "ana: moved")).toList();
    stores.transactions().run(() -> stores.health().write(ended));

    List<EventRecord> mine = own(world.tenant().id());
    assertThat(types(mine)).containsExactly("IncidentOpened", "NodeQuarantined", "NodeReleased");
    assertThat(mine.getLast().subject()).isEqualTo(IdKind.QUARANTINE);
    assertThat(mine.getLast().fact().data())
        .containsEntry("nodes", List.of("node-1"))
        .containsEntry("jobs", List.of("mine"))
        .containsEntry("incident", mine.getFirst().fact().data().get("incident"));
    assertThat(types(fleet()).stream().filter(type -> type.startsWith("Node")))
        .as("shared events of operators")
        .containsExactly("NodeQuarantined", "NodeReleased");
  }

  private static NodeReport[] many(int count, boolean lost) {
    return IntStream.range(0, count)
        .mapToObj(i -> NodeReports.node("many-%03d".formatted(i)).gpus(0))
        .map(node -> lost ? node.notReady().build() : node.build())
        .toArray(NodeReport[]::new);
  }

  private static NodeReport[] firstLost(int count) {
    NodeReport[] reports = many(count, false);
    reports[0] = many(1, true)[0];
    return reports;
  }

  @Test
  void flappingNodeGetsFewEventsAndItsLastChangeWithTheCount() {
    NodeReport two = NodeReports.node("node-2").build();
    NodeReport up = NodeReports.node("node-1").build();
    NodeReport down = NodeReports.node("node-1").notReady().build();
    for (int i = 0; i < 5; i++) {
      int _ = world.report(down, two);
      int _ = world.report(up, two);
    }
    int _ = world.report(down, two);
    assertThat(types(fleet())).hasSize(FleetEvents.BURST).last().isEqualTo("NodeReturned");
    int _ = stores.fleetEvents().release(100);
    assertThat(fleet()).as("before the window is over").hasSize(FleetEvents.BURST);

    stores.advance(FleetEvents.WINDOW.plusSeconds(1));
    int _ = stores.fleetEvents().release(100);
    int _ = stores.fleetEvents().release(100);

    List<EventRecord> events = fleet();
    assertThat(events).hasSize(FleetEvents.BURST + 1);
    assertThat(events.getLast().fact().type()).isEqualTo("NodeLost");
    assertThat(events.getLast().fact().data()).containsEntry("changes", 5);
    assertThat(events.getLast().version()).isEqualTo(world.node("node-1").version());
  }

  /** Fails when a held change is reported after a later change of the same node. */
  @Test
  void queuedChangeOfANodeIsReplacedByALaterChange() {
    int _ = world.report(many(20, false));
    for (int i = 0; i < 3; i++) {
      int _ = world.report(firstLost(20));
      int _ = world.report(many(20, false));
    }
    int _ = world.report(firstLost(20));
    before = stores.events().head();
    int _ = world.report(many(20, true));
    int _ = world.report(many(20, false));

    stores.advance(FleetEvents.WINDOW.plusSeconds(1));
    int _ = stores.fleetEvents().release(100);

    List<EventRecord> ofNode = found(place("nodes", "many-000"), true);
    assertThat(types(ofNode)).containsExactly("NodeReturned");
    assertThat(ofNode.getFirst().fact().data()).containsEntry("changes", 2);
    assertThat(types(found(place("nodes", "many-001"), true)))
        .as("events of the others")
        .containsExactly("NodeLost", "NodeReturned");
  }

  /** Fails when each report of nodes that flap together is an event. */
  @Test
  void nodesFlappingTogetherShareFewEventsAndTheirLastChange() {
    int _ = world.report(many(20, false));
    before = stores.events().head();
    for (int i = 0; i < 5; i++) {
      int _ = world.report(many(20, true));
      int _ = world.report(many(20, false));
    }
    int _ = world.report(many(20, true));
    assertThat(types(fleet())).hasSize(FleetEvents.BURST).last().isEqualTo("NodeReturned");

    stores.advance(FleetEvents.WINDOW.plusSeconds(1));
    assertThat(stores.fleetEvents().release(100)).isEqualTo(20);

    List<EventRecord> events = fleet();
    assertThat(events).hasSize(FleetEvents.BURST + 1);
    EventRecord last = events.getLast();
    assertThat(last.fact().type()).isEqualTo("NodeLost");
    assertThat(last.fact().data()).containsEntry("changes", 5);
    assertThat(types(found(place("nodes", "many-019"), true))).hasSize(FleetEvents.BURST + 1);
  }

  @Test
  void noticeIsNeverDelayed() {
    NodeReport two = NodeReports.node("node-2").build();
    for (int i = 0; i < 6; i++) {
      int _ = world.report(NodeReports.node("node-1").notReady().build(), two);
      int _ = world.report(NodeReports.node("node-1").build(), two);
    }
    int _ = world.report(NodeReports.node("node-1").notice(NodeNotice.Kind.SPOT, NOW).build(), two);

    assertThat(types(fleet())).last().isEqualTo("NodeNotice");
  }

  @Test
  void clusterOutageReachesTheProjectsThatRunThere() {
    Attempt _ = world.place(world.submit(Specs.job("mine").gpus(1)), 0, "node-1");
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    Cluster silent =
        cluster.moved(ClusterState.UNREACHABLE, null, "no route", cluster.capabilities());
    stores.inventory().update(silent);
    stores.inventory().update(silent.in(ClusterState.UNREACHABLE));

    assertThat(types(fleet())).containsExactly("ClusterUnreachable");
    assertThat(fleet().getFirst().fact().data()).containsEntry("trouble", "no route");
    EventRecord mine = own(world.tenant().id()).getFirst();
    assertThat(mine.fact().data())
        .containsEntry("jobs", List.of("mine"))
        .doesNotContainKey("trouble");
  }

  @Test
  void rolledBackChangeHasNoEvent() {
    stores
        .transactions()
        .runOrTry(
            true,
            () -> stores.inventory().order(List.of(world.node("node-1").id()), NodeOrder.CORDON));

    assertThat(fleet()).isEmpty();
  }

  private static List<String> types(List<EventRecord> events) {
    return events.stream().map(event -> event.fact().type()).toList();
  }

  /** Events of the world's cluster for a reader of the fleet. */
  private List<EventRecord> fleet() {
    return found(place("cluster", world.cluster().name()), true);
  }

  /** Events of the fleet for a reader of the tenant. */
  private List<EventRecord> own(TenantId tenant) {
    return found(
        new EventFilter(
            tenant, null, null, new TreeSet<>(), false, place("cluster", world.cluster().name())));
  }

  private static SortedMap<String, String> place(String name, String value) {
    return new TreeMap<>(Map.of(name, value));
  }

  private List<EventRecord> found(SortedMap<String, String> place, boolean fleet) {
    return found(new EventFilter(world.tenant().id(), null, null, new TreeSet<>(), fleet, place));
  }

  /** The same by the stored rows and by the filter of streams. */
  private List<EventRecord> found(EventFilter filter) {
    List<EventRecord> found = new ArrayList<>();
    EventPosition position = before;
    while (position != null) {
      EventSlice slice = stores.events().find(filter, position, 100, 1_000);
      found.addAll(slice.events());
      position = slice.next();
    }
    assertThat(stores.events().after(before, 10_000).stream().filter(filter)).containsAll(found);
    return found;
  }

  private void write(Incident incident, Quarantine... quarantines) {
    stores
        .transactions()
        .run(() -> {
          stores.health().enter(incident.cluster());
          stores.health().write(incident);
          stores.health().write(List.of(quarantines));
        });
  }

  private Incident incident(Node node, @Nullable String gpu) {
    return new Incident(
        new IncidentId(stores.ids().next()),
        node.cluster(),
        node.id(),
        node.name(),
        gpu,
        null,
        48,
        "XID 48 (double-bit ECC)",
        FaultScope.GPU,
        RepairStep.RESET_GPU,
        NOW,
        NOW,
        1,
        "",
        null);
  }

  private Quarantine quarantine(Node node, Incident incident, @Nullable String gpu) {
    return Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            node.cluster(),
            node.id(),
            "XID 48 (double-bit ECC)",
            null,
            NOW,
            NOW.plus(Quarantine.UNHELD))
        .withIncident(incident.id())
        .of(gpu);
  }
}
