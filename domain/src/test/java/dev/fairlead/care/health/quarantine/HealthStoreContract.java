package dev.fairlead.care.health.quarantine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class HealthStoreContract {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private TestWorld world;
  private HealthStore health;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    health = stores.health();
  }

  @Test
  void announcedNoticeIsReplacedByItsIdInItsCluster() {
    ClusterId here = world.cluster().id();
    AnnouncedNotice spot = notice("i-0/spot", "node-1", NodeNotice.Kind.SPOT, NOW);
    AnnouncedNotice later =
        notice("i-0/work", "node-2", NodeNotice.Kind.MAINTENANCE, NOW.plusSeconds(9));
    health.write(spot.withdraw());
    health.write(spot);
    health.write(later);

    assertThat(health.announced(here, NOW.minusSeconds(1))).containsExactly(spot, later);
    assertThat(health.announced(here, NOW)).as("later deadlines").containsExactly(later);
    assertThat(health.announced(here, "i-0/spot")).contains(spot);
    assertThat(health.announced(here, "node-1", NOW.minusSeconds(1))).containsExactly(spot);
    assertThat(health.announced(here, "node-1", NOW)).as("of another node").isEmpty();
    assertThat(health.announced(new ClusterId(spot.cluster().value()), "i-1")).isEmpty();
    health.write(later.withdraw());
    assertThat(health.announced(here, NOW)).isEmpty();
    assertThat(health.announced(here, "i-0/work")).contains(later.withdraw());
  }

  private AnnouncedNotice notice(String id, String node, NodeNotice.Kind kind, Instant deadline) {
    return new AnnouncedNotice(
        world.cluster().id(), id, node, kind, "a new host", deadline, "boot", false);
  }

  @Test
  void eventIsStoredOncePerIdInItsCluster() {
    // Fails when a repeat is stored again or stops the batch.
    Node node = world.node("node-1");
    String gpu = "GPU-" + node.id().text();
    HealthRecord one = event("e-1", gpu, NOW, node);
    HealthRecord two = event("e-2", gpu, NOW.plusSeconds(5), node);
    stores
        .transactions()
        .run(() -> {
          health.enter(node.cluster());
          assertThat(health.insert(node.cluster(), List.of(one), NOW)).containsExactly("e-1");
          assertThat(health.insert(node.cluster(), List.of(one, two), NOW))
              .as("what is new")
              .containsExactly("e-2");
        });

    assertThat(health.known(node.cluster(), List.of("e-1", "e-2", "e-3")))
        .containsExactlyInAnyOrder("e-1", "e-2");
    assertThat(health.seen(node.cluster(), gpu, 79, NOW, NOW.plusSeconds(5)))
        .containsExactlyInAnyOrder(NOW, NOW.plusSeconds(5));
    assertThat(health.seen(node.cluster(), gpu, 79, NOW.plusSeconds(1), NOW.plusSeconds(4)))
        .isEmpty();
    assertThat(health.seen(node.cluster(), gpu, 78, NOW, NOW.plusSeconds(5))).isEmpty();
    assertThat(health.seen(new ClusterId(node.id().value()), gpu, 79, NOW, NOW.plusSeconds(5)))
        .as("Fails when what another cluster says of a device counts")
        .isEmpty();
  }

  /**
   * Fails when a fault that joined an incident is missing, or an earlier or unrelated one is
   * returned.
   */
  @Test
  void eventsOfAnIncidentAreReturnedByTheirTime() {
    Node node = world.node("node-1");
    IncidentId incident = new IncidentId(stores.ids().next());
    IncidentId other = new IncidentId(stores.ids().next());
    HealthEvent event = event("e-1", "GPU-" + node.id().text(), NOW, node).event();
    stores
        .transactions()
        .run(() -> {
          health.enter(node.cluster());
          HealthRecord fatal =
              new HealthRecord(event, node.id(), Judgement.Verdict.FATAL, incident);
          HealthRecord harmless =
              new HealthRecord(event.called("e-2"), node.id(), Judgement.Verdict.HARMLESS, other);
          health.insert(node.cluster(), List.of(fatal, harmless), NOW);
        });

    assertThat(health.shown(incident, NOW.minusSeconds(1))).isTrue();
    assertThat(health.shown(incident, NOW)).as("not after it").isFalse();
    assertThat(health.shown(other, NOW.minusSeconds(1))).as("nothing fatal").isFalse();
  }

  /**
   * Fails when a repeat of a burst is counted twice, when events before or after the stored time
   * are not counted, or when the start or end of a burst is lost.
   */
  @Test
  void burstIsOneRowFromItsFirstEventToItsLast() {
    Node node = world.node("node-1");
    String gpu = "GPU-" + node.id().text();
    Instant start = Instant.ofEpochSecond(NOW.getEpochSecond() / 180 * 180);
    HealthRecord[] one =
        IntStream.range(0, 9)
            .mapToObj(i -> event("e-" + i, gpu, start.plusSeconds(10L * i), node))
            .toArray(HealthRecord[]::new);

    assertThat(burst(node, one[3], one[4])).hasSize(1);
    assertThat(burst(node, one[4], one[3])).as("a repeat").isEmpty();
    assertThat(health.merged(node.cluster(), Stream.of(one).map(HealthRecord::event).toList()))
        .containsExactlyInAnyOrder("e-3", "e-4");
    assertThat(health.seen(node.cluster(), gpu, 79, start, start.plusSeconds(180)))
        .containsExactlyInAnyOrder(start.plusSeconds(30), start.plusSeconds(40));

    assertThat(burst(node, one[4], one[7])).as("longer").hasSize(1);
    assertThat(burst(node, one[1])).as("earlier").hasSize(1);
    assertThat(health.merged(node.cluster(), Stream.of(one).map(HealthRecord::event).toList()))
        .doesNotContain("e-0", "e-8")
        .contains("e-1", "e-7");
    assertThat(health.seen(node.cluster(), gpu, 79, start.plusSeconds(60), start.plusSeconds(180)))
        .as("one that began before")
        .containsExactly(start.plusSeconds(70));
    assertThat(burst(node, event("e-9", gpu, start.plusSeconds(180), node)))
        .as("three minutes later is another one")
        .doesNotContain(HealthRecord.burst(one[0].event()));
    assertThat(health.merged(new ClusterId(node.id().value()), List.of(one[3].event()))).isEmpty();
  }

  private Set<String> burst(Node node, HealthRecord... events) {
    return stores
        .transactions()
        .call(() ->
            health.insert(
                node.cluster(), HealthRecord.bursts(List.of(events), XidTable.SHIPPED), NOW));
  }

  /** Fails when a node of another cluster or an ended incident counts. */
  @Test
  void nodeReportsAnOpenIncident() {
    Node well = world.node("node-1");
    Node sick = world.node("node-2");
    Incident open = incident(sick, "GPU-1");
    health.write(open);
    List<String> names = List.of("node-1", "node-2", "none-such");
    assertThat(health.places(well.cluster(), names))
        .containsExactlyInAnyOrder(
            new HealthStore.Place(well.id(), "node-1", false),
            new HealthStore.Place(sick.id(), "node-2", true));
    health.write(open.ended(NOW));
    assertThat(health.places(well.cluster(), names)).noneMatch(HealthStore.Place::faulty);
    assertThat(health.places(new ClusterId(well.id().value()), names)).isEmpty();
  }

  @Test
  void openIncidentIsFoundAndRetainedAfterItsEnd() {
    Node node = world.node("node-1");
    Incident first = incident(node, "GPU-1");
    Incident machine = incident(node, null);
    health.write(first);
    health.write(machine);

    assertThat(health.open(List.of(node.id()))).containsExactly(first, machine);
    assertThat(health.open(List.of(world.node("node-2").id()))).isEmpty();
    assertThat(health.open(node.cluster())).containsExactly(first, machine);
    assertThat(health.openOf(List.of("GPU-none", "GPU-1"))).contains(first);
    assertThat(health.open(new ClusterId(UUID.randomUUID()))).isEmpty();
    Incident joined =
        first.joined(
            event("e-9", "GPU-1", NOW.plusSeconds(9), node).event(),
            new Judgement(
                Judgement.Verdict.FATAL, FaultScope.NODE, RepairStep.POWER_CYCLE, "XID 79"),
            false);
    health.write(joined.ended(NOW.plusSeconds(60)));
    assertThat(health.openOf(List.of("GPU-1"))).extracting(Incident::id).doesNotContain(first.id());
    assertThat(health.open(List.of(node.id()))).containsExactly(machine);
    assertThat(health.open(node.cluster())).containsExactly(machine);
    assertThat(health.lastReleased(node.cluster(), node.id())).isEqualTo(NOW.plusSeconds(60));
    assertThat(health.lastReleased(node.cluster(), null)).isNull();
    assertThat(health.incident(first.id())).contains(joined.ended(NOW.plusSeconds(60)));
    assertThat(health.incidents(node.id(), null, 9).stream().map(Incident::id))
        .containsExactly(machine.id(), first.id());
    assertThat(health.incidents(node.id(), machine.id(), 9).stream().map(Incident::id))
        .containsExactly(first.id());
    assertThat(health.incidents(node.id(), null, 1)).hasSize(1);
    assertThat(health.openIncidents(node.id(), null, 9)).containsExactly(machine);
    assertThat(health.openIncidents(node.id(), machine.id(), 9)).isEmpty();
    assertThat(health.openIncidents(null, null, 99)).contains(machine).doesNotContain(first);
    assertThat(health.lastOfMachine(node.id())).contains(machine);
    assertThat(health.lastOfMachine(world.node("node-2").id())).isEmpty();
  }

  @Test
  void quarantineIsActiveUntilItsRelease() {
    Node node = world.node("node-1");
    Incident incident = incident(node, "GPU-1");
    health.write(incident);
    Quarantine quarantine = quarantine(node, incident);
    health.write(quarantine);

    assertThat(health.standing(node.cluster())).containsExactly(quarantine);
    assertThat(health.isolating(node.cluster())).containsExactly(incident);
    assertThat(health.lastReleased(node.cluster(), node.id())).isNull();
    Quarantine held = quarantine.held("ops", "waits for a part", null);
    health.write(held);
    assertThat(health.quarantinesOf(List.of(incident.id()))).containsExactly(held);

    Quarantine released = held.released(NOW.plusSeconds(99), "by ops: repaired");
    health.write(released);
    assertThat(health.standing(node.cluster())).isEmpty();
    assertThat(health.isolating(node.cluster())).isEmpty();
    assertThat(health.quarantinesOf(List.of(incident.id()))).containsExactly(released);
    assertThat(health.lastReleased(node.cluster(), node.id())).isEqualTo(NOW.plusSeconds(99));
    assertThat(health.lastReleased(node.cluster(), null)).isEqualTo(NOW.plusSeconds(99));
    assertThat(health.lastReleased(node.cluster(), world.node("node-2").id())).isNull();
  }

  /**
   * Fails when a breaker counts nodes held by an operator, ended quarantines, or nodes of another
   * pool.
   */
  @Test
  void isolatedNodesAreCountedForTheFleetAndForAPool() {
    Node node = world.node("node-1");
    String pool = pool();
    HealthStore.GpuNodes none = health.isolated(pool);
    assertThat(none.isolated()).isZero();
    assertThat(none.all()).isPositive();
    Incident incident = incident(node, "GPU-1");
    health.write(incident);
    Quarantine quarantine = quarantine(node, incident);
    health.write(quarantine);
    assertThat(health.isolated(pool)).isEqualTo(none.oneMore());
    assertThat(health.isolated(null).isolated()).isPositive();
    assertThat(health.isolated("no-such-pool")).isEqualTo(new HealthStore.GpuNodes(0, 0));

    Quarantine held = quarantine.held("ops", "waits for a part", null);
    health.write(held);
    assertThat(health.isolated(pool)).isEqualTo(none);
    health.write(held.released(NOW.plusSeconds(99), "by ops: repaired"));
    assertThat(health.isolated(pool)).isEqualTo(none);
  }

  /** The name of a pool with all nodes of the cluster. */
  private String pool() {
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("pool"),
            null,
            new PoolSelector(
                List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    int _ = stores.inventory().assign(stores.pools().pools());
    return pool.name();
  }

  /** Fails when a hang loses a field or a node, or pages repeat or skip one. */
  @Test
  void hangsAreListedForAllNodesAndForOneNode() {
    Hang first = hang();
    Hang second = hang();
    health.write(first);
    health.write(second);
    NodeId last = first.nodes().lastKey();
    assertThat(health.hang(first.id())).contains(first);
    assertThat(health.hangs(last, null, 2)).containsExactly(second, first);
    assertThat(health.hangs(null, second.id(), 1)).containsExactly(first);
    assertThat(health.hangs(new NodeId(stores.ids().next()), null, 2)).isEmpty();
    assertThat(health.lastReleased(world.cluster().id(), last)).as("no release").isNull();
  }

  private Hang hang() {
    SortedMap<NodeId, String> nodes = new TreeMap<>();
    for (String name : List.of("node-1", "node-2")) {
      nodes.put(world.node(name).id(), name);
    }
    return new Hang(
        new IncidentId(stores.ids().next()),
        world.cluster().id(),
        new JobId(stores.ids().next()),
        "att_1",
        nodes,
        "hang: no progress for 10m",
        NOW,
        NOW.plusSeconds(600));
  }

  @Test
  void automaticEndDoesNotCountAsAReleaseOfTheNode() {
    // Fails when the end of a condition hides later reports of its node.
    Node node = world.node("node-1");
    Incident incident = incident(node, null);
    Quarantine quarantine = quarantine(node, incident);
    health.write(incident.isolation(Incident.CLEARED).ended(NOW));
    health.write(quarantine.released(NOW, Incident.CLEARED));
    assertThat(health.lastReleased(node.cluster(), node.id())).isNull();
    assertThat(health.lastReleased(node.cluster(), null)).as("its node waits").isEqualTo(NOW);
  }

  @Test
  void noReportEndsAQuarantineEvenOfAReturnedNode() {
    // Fails when a report alone decides the state: a node that was briefly away returned healthy.
    Node node = world.node("node-1");
    health.write(quarantine(node, null));
    stores.inventory().order(node.id(), NodeOrder.QUARANTINE);
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.QUARANTINED);

    NodeReport healthy = NodeReports.node("node-1").build();
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(stateOf(node)).isEqualTo(NodeState.QUARANTINED);
    stores.inventory().report(node.cluster(), List.of());
    assertThat(stateOf(node)).isEqualTo(NodeState.RETIRED);
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(stateOf(node)).isEqualTo(NodeState.QUARANTINED);

    Quarantine standing = health.standing(node.cluster()).getFirst();
    health.write(standing.released(NOW, "repaired"));
    stores.inventory().order(node.id(), NodeOrder.RELEASE);
    assertThat(stateOf(node)).isEqualTo(NodeState.CORDONED);
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(stateOf(node)).isEqualTo(NodeState.ACTIVE);
  }

  @Test
  void aCordonOutlivesTheQuarantineOfItsNode() {
    Node node = world.node("node-1");
    stores.inventory().order(node.id(), NodeOrder.CORDON);
    Stream.of(NodeOrder.QUARANTINE, NodeOrder.RELEASE)
        .forEach(order -> stores.inventory().order(node.id(), order));
    stores.inventory().report(node.cluster(), List.of(NodeReports.node("node-1").build()));
    assertThat(stateOf(node)).isEqualTo(NodeState.CORDONED);
  }

  /** Fails when a report releases a faulty GPU, or its quarantine isolates the whole node. */
  @Test
  void noReportEndsAGpuQuarantineAndOtherGpusStayInUse() {
    NodeReport healthy = NodeReports.node("node-1").build();
    stores.inventory().report(world.cluster().id(), List.of(healthy));
    Node node = world.node("node-1");
    String gpu = node.gpus().get(1).serial();
    Quarantine alone = quarantine(node, null).of(gpu);
    health.write(alone);
    stores.inventory().quarantine(node.id(), gpu);
    stores.inventory().quarantine(node.id(), "GPU-of-no-slot");
    assertThat(health.standing(node.cluster())).containsExactly(alone);
    assertThat(excluded()).containsExactly(gpu);
    assertThat(world.node("node-1").version()).as("caches see it").isEqualTo(node.version() + 1);

    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(excluded()).containsExactly(gpu);
    assertThat(stateOf(node)).isEqualTo(NodeState.ACTIVE);
    stores.inventory().report(node.cluster(), List.of());
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(excluded()).as("of a node that came back").containsExactly(gpu);

    health.write(alone.of(null));
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(stateOf(node)).as("it extends to the node").isEqualTo(NodeState.QUARANTINED);
    health.write(alone.of(null).released(NOW, "repaired"));
    stores.inventory().order(node.id(), NodeOrder.RELEASE);
    stores.inventory().report(node.cluster(), List.of(healthy));
    assertThat(excluded()).isEmpty();
    assertThat(stateOf(node)).isEqualTo(NodeState.ACTIVE);
  }

  private List<String> excluded() {
    return world.node("node-1").gpus().stream()
        .filter(gpu -> gpu.state() == GpuState.QUARANTINED)
        .map(Gpu::serial)
        .toList();
  }

  private NodeState stateOf(Node node) {
    return stores.inventory().node(node.id()).orElseThrow().state();
  }

  private static HealthRecord event(String id, String gpu, Instant at, Node node) {
    return new HealthRecord(
        new HealthEvent(id, at, node.name(), gpu, "1653922", 79, "fallen off the bus"),
        node.id(),
        Judgement.Verdict.FATAL,
        null);
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
        "node quarantined",
        null);
  }

  private Quarantine quarantine(Node node, @Nullable Incident incident) {
    return Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            node.cluster(),
            node.id(),
            "XID 48 (double-bit ECC)",
            null,
            NOW,
            NOW.plus(Quarantine.UNHELD))
        .withIncident(incident == null ? null : incident.id());
  }

  /** Fails when a row of an operator is not read completely, or one change hides another. */
  @Test
  void faultRuleIsUpdatedByVersion() {
    int code = 154; // no other test sets it
    Xid shipped = XidTable.SHIPPED.find(code).orElseThrow();
    Xid first = shipped.isolating(FaultScope.NODE, false);
    long before =
        health.rules().stream()
            .filter(rule -> rule.xid().code() == code)
            .mapToLong(HealthRule::version)
            .findFirst()
            .orElse(0);
    HealthRule set = new HealthRule(first, false, before + 1);
    health.write(set);

    assertThat(health.rules()).contains(set);
    assertThat(health.table().find(code)).contains(first);
    assertThatThrownBy(() -> health.write(set)).isInstanceOf(Conflict.class);
    assertThatThrownBy(() -> health.write(new HealthRule(shipped, true, before + 3)))
        .isInstanceOf(Conflict.class);
    HealthRule back = set.with(shipped, shipped);
    health.write(back);
    assertThat(health.rules()).contains(back).doesNotContain(set);
    assertThat(health.table().find(code)).contains(shipped);
  }
}
