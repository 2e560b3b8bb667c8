package dev.fairlead.care.health.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What events of monitors do to incidents and quarantines of one cluster. */
class HealthIntakeTest {
  private static final int NODES = 4;
  private final MemoryStores stores = MemoryStores.empty(29);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final List<String> calls = new ArrayList<>();
  private final InventoryStore inventory = watched(InventoryStore.class, stores.inventory());
  private final HealthStore health = watched(HealthStore.class, stores.health());
  private final FaultIsolation isolation = new FaultIsolation(health, inventory, stores.ids());
  private final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          inventory,
          health,
          isolation,
          new DeviceIntake(stores.transactions(), inventory, devices(), stores.clock()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final QuarantineCommands commands =
      new QuarantineCommands(
          stores.transactions(), inventory, health, isolation, stores.audit(), stores.clock());
  private int events;
  private boolean devicesAreLocked;

  @BeforeEach
  void fourNodes() {
    // A quarter of four: the breaker allows one isolation.
    world.report(
        IntStream.range(0, NODES)
            .mapToObj(i -> NodeReports.node("n" + i).build())
            .toArray(NodeReport[]::new));
  }

  /** The store with a record of each call by its name. */
  private <T> T watched(Class<T> type, T store) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            }));
  }

  private DeviceStore devices() {
    return (DeviceStore)
        Proxy.newProxyInstance(
            DeviceStore.class.getClassLoader(),
            new Class<?>[] {DeviceStore.class},
            (proxy, method, arguments) -> {
              if (devicesAreLocked && method.getName().equals("enter")) {
                throw new IllegalStateException("statement timeout");
              }
              return method.invoke(stores.devices(), arguments);
            });
  }

  /**
   * Fails when an isolation waits in its transaction for the lock of all devices: a report of
   * another cluster that holds it for too long rolls the isolation back.
   */
  @Test
  void aFaultIsolatesHoweverLongAnotherClusterHoldsTheDevices() {
    devicesAreLocked = true;
    assertThatThrownBy(() -> report(79, 0, 0)).hasMessage("statement timeout");
    assertThat(node(0).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(standing()).hasSize(1);

    devicesAreLocked = false;
    report(79, 0, 0);
    assertThat(stores.devices().on(List.of(node(0).id()))).hasSize(1);
  }

  /** Fails when an isolating report leaves no audit row, or one for each event. */
  @Test
  void aReportThatOpensAnIncidentIsOneRowOfTheAudit() {
    Instant now = stores.clock().instant();
    take(event(13, 0, null, now), event(31, 1, null, now));
    assertThat(reports()).isEmpty();

    List<Intake> answers =
        take(event(79, 0, "GPU-0", now), event(79, 0, "GPU-1", now), event(31, 2, null, now));

    assertThat(reports())
        .singleElement()
        .satisfies(row -> {
          assertThat(row.actor().name()).isEqualTo("olga");
          assertThat(row.count()).isEqualTo(3);
          assertThat(row.detail().get("incidents"))
              .asString()
              .contains(
                  Objects.requireNonNull(answers.get(0).incident()).id().text(),
                  Objects.requireNonNull(answers.get(1).incident()).id().text());
        });
  }

  private List<AuditRecord> reports() {
    return stores.audit().entries().stream()
        .filter(row -> row.operation().equals("reportHealthEvents"))
        .toList();
  }

  /** Fails when each node of a report is read although none of its events has an effect. */
  @Test
  void harmlessEventsAskNothingOfTheirNodes() {
    calls.clear();
    take(
        event(13, 0, null, stores.clock().instant()), event(31, 1, null, stores.clock().instant()));
    assertThat(calls)
        .as("one statement reads, one writes")
        .doesNotContain("lastReleased", "standing", "enter", "named", "known", "open", "nodes")
        .containsOnlyOnce("places", "insert");
  }

  /** Fails when a repeat among harmless events is stored, or answered as new. */
  @Test
  void repeatsOfHarmlessEventsAreToldByWhatWasStored() {
    Instant now = stores.clock().instant();
    HealthEvent before = event(13, 0, null, now);
    HealthEvent twice = event(31, 0, null, now);
    HealthEvent ahead = event(13, 1, null, now.plus(Duration.ofHours(1)));
    HealthEvent nowhere = event(999, 9, null, now);
    take(before);
    assertThat(take(before, twice, ahead, nowhere, twice))
        .extracting(Intake::outcome)
        .containsExactly(
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.STORED,
            Intake.Outcome.REFUSED,
            Intake.Outcome.STORED,
            Intake.Outcome.DUPLICATE);
  }

  /** Fails when each event is a row that is stored for a week. */
  @Test
  void aProgramThatCrashesInALoopLeavesFewRows() {
    Instant now = stores.clock().instant();
    HealthEvent[] crashes =
        IntStream.range(0, 500)
            .mapToObj(i -> event(31, 0, "n0/0", now.minusSeconds(i)))
            .toArray(HealthEvent[]::new);
    assertThat(take(crashes)).extracting(Intake::outcome).containsOnly(Intake.Outcome.STORED);
    assertThat(stores.health().seen(world.cluster().id(), "n0/0", 31, now.minusSeconds(999), now))
        .as("the first and the last of each burst")
        .hasSizeBetween(2, 8)
        .contains(now, now.minusSeconds(499));
    HealthEvent fault = event(79, 1, "n1/0", now);
    assertThat(take(crashes[0], crashes[499], fault, event(31, 0, "n0/1", now)))
        .as("a repeat, also beside a fault")
        .extracting(Intake::outcome)
        .containsExactly(
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.STORED,
            Intake.Outcome.STORED);
  }

  /** Fails when a merged event ends a burst, or hides its end. */
  @Test
  void aBurstIsOneHoweverLongItLastsAndTheNextIsARepeat() {
    Instant start = stores.clock().instant().minus(Duration.ofMinutes(40));
    for (int i = 0; i < 60; i++) {
      Intake answer = take(event(109, 0, "n0/0", start.plusSeconds(29L * i))).getFirst();
      assertThat(answer.incident()).isNull();
    }
    Instant last = start.plusSeconds(29L * 59);
    assertThat(take(event(109, 0, "n0/0", last.plus(Judgement.SILENCE))).getFirst().incident())
        .isNull();
    Instant next = last.plus(Judgement.SILENCE.multipliedBy(2)).plusSeconds(1);
    assertThat(take(event(109, 0, "n0/0", next)).getFirst().incident()).isNotNull();
  }

  /**
   * A restarted monitor sends its events again with times of another clock. Fails when an event
   * counts as a repeat of itself.
   */
  @Test
  void anEventThatIsSentAgainWithAnotherTimeIsNoRepeat() {
    Instant now = stores.clock().instant();
    HealthEvent first = event(109, 0, "n0/0", now.minus(Duration.ofMinutes(10)));
    HealthEvent nowhere = event(109, 9, "n0/0", now.minus(Duration.ofMinutes(10)));
    take(first);
    take(nowhere);
    for (HealthEvent sent : List.of(first, nowhere)) {
      HealthEvent again = new HealthEvent(sent.id(), now, "n0", sent.gpu(), null, sent.xid(), "");
      assertThat(take(again)).extracting(Intake::outcome).containsOnly(Intake.Outcome.DUPLICATE);
    }
    assertThat(standing()).isEmpty();

    assertThat(report(109, 0, 0).incident()).as("another one").isNotNull();
  }

  private Node node(int index) {
    return world.node("n" + index);
  }

  /** Fails when a code of DCGM isolates nothing, or a wrong scope. */
  @Test
  void aCodeOfDcgmIsolatesAsItsRowSays() {
    int remap = XidTable.number("DCGM_FR_ROW_REMAP_FAILURE").orElseThrow();
    int watch = XidTable.number("DCGM_HEALTH_WATCH_MEM_WARN").orElseThrow();

    assertThat(report(watch, 0, 0).incident()).isNull();
    assertThat(report(XidTable.OTHER_DCGM, 0, 0).verdict()).isEqualTo(Judgement.Verdict.UNKNOWN);
    assertThat(standing()).isEmpty();
    Incident incident = incident(report(remap, 0, 0));
    assertThat(incident.scope()).isEqualTo(FaultScope.GPU);
    assertThat(incident.step()).isEqualTo(RepairStep.REPLACE);
    assertThat(incident.text()).satisfies(reason("health-intake.remapping-row-failed", "DCGM_FR_ROW_REMAP_FAILURE"));
    assertThat(standing()).hasSize(1);
  }

  private HealthEvent event(int xid, int node, @Nullable String gpu, Instant at) {
    events++;
    return new HealthEvent("e-" + events, at, "n" + node, gpu, null, xid, "");
  }

  private Intake report(int xid, int node, int gpu) {
    return report(xid, node, gpu, stores.clock().instant());
  }

  private Intake report(int xid, int node, int gpu, Instant at) {
    return take(event(xid, node, "n" + node + "/" + gpu, at)).getFirst();
  }

  private List<Intake> take(HealthEvent... batch) {
    return intake.take(olga, world.cluster().id().text(), List.of(batch));
  }

  private Incident incident(Intake taken) {
    return stores.health().incident(taken.incident().id()).orElseThrow();
  }

  private List<Quarantine> standing() {
    return stores.health().standing(world.cluster().id());
  }

  private Actor monitor(@Nullable UUID cluster) {
    Credential token = new Credential(new UUID(7, 7), world.tenant().id(), Instant.MAX, cluster);
    TreeSet<Role> roles = new TreeSet<>(List.of(Role.MONITOR));
    return new Actor(world.tenant().id(), "sa:dcgm", roles, null, token, roles);
  }

  /** Fails when a fault is accepted from the monitor of another cluster, or of none. */
  @Test
  void aMonitorReportsForTheClusterOfItsTokenAlone() {
    String here = world.cluster().id().text();
    List<HealthEvent> batch = List.of(event(79, 0, "n0/0", stores.clock().instant()));
    for (UUID other : Arrays.asList(new UUID(9, 9), null)) {
      assertThatThrownBy(() -> intake.take(monitor(other), here, batch))
          .isInstanceOfSatisfying(
              Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.FORBIDDEN));
    }
    assertThat(standing()).isEmpty();

    intake.take(monitor(world.cluster().id().value()), here, batch);
    assertThat(standing()).hasSize(1);
  }

  @Test
  void aFaultThatTheBreakerRefusedIsIsolatedByItsNextEventWhenThereIsRoom() {
    // Fails when an event that joins an incident is never judged against the breaker again.
    report(79, 0, 0);
    Incident refused = incident(report(79, 1, 7));
    assertThat(refused.isolation()).startsWith("not isolated");
    report(79, 1, 7);
    assertThat(standing()).as("no room yet").hasSize(1);

    commands.release(olga, "n0", "exchanged", false);
    assertThat(stores.health().incidents(node(0).id(), null, 1))
        .as("Fails when one that has ended is told as if it went on")
        .extracting(Incident::isolation)
        .containsExactly("node n0 took nothing new");
    Incident isolated = incident(report(79, 1, 7));

    assertThat(isolated.id()).isEqualTo(refused.id());
    assertThat(isolated.isolation()).isEqualTo("node n1 takes nothing new");
    assertThat(standing()).extracting(Quarantine::incident).containsExactly(refused.id());
    assertThat(node(1).state()).isEqualTo(NodeState.QUARANTINED);
  }

  @Test
  void whatOnlyFollowsAnotherErrorIsolatesNothingLater() {
    report(79, 0, 0);
    report(79, 1, 7);
    commands.release(olga, "n0", "exchanged", false);
    report(45, 1, 7);
    assertThat(standing()).isEmpty();
  }

  @Test
  void anOperatorHoldsAFaultThatTheBreakerRefusedAndReleasesIt() {
    // Fails when the hold does not take over the incident, so that its release leaves it open.
    report(79, 0, 0);
    Incident refused = incident(report(79, 1, 7));
    commands.hold(olga, "n1", "waits for a part", null, false);
    assertThat(stores.health().quarantinesOf(List.of(refused.id())))
        .extracting(Quarantine::owner)
        .containsExactly(olga.name());

    stores.clock().advance(Duration.ofSeconds(1));
    commands.release(olga, "n1", "exchanged", false);
    assertThat(stores.health().incident(refused.id()).orElseThrow().endedAt()).isNotNull();
  }

  @Test
  void aReleaseEndsAnIncidentThatIsolatedNothing() {
    // Fails when a release requires a quarantine: incidents that the breaker refused stayed open
    // permanently.
    report(79, 0, 0);
    Incident refused = incident(report(79, 1, 7));
    Instant before = stores.clock().instant();
    stores.clock().advance(Duration.ofSeconds(1));
    assertThat(commands.release(olga, "n1", "looked at it", false)).isEmpty();

    assertThat(stores.health().incident(refused.id()).orElseThrow().endedAt()).isNotNull();
    assertThat(report(79, 1, 7, before).incident()).as("from before the release").isNull();
    assertThatThrownBy(() -> commands.release(olga, "n1", "again", false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("no open incident");
  }

  @Test
  void aWorseFaultTakesOverAlsoAfterTheBurst() {
    // Fails when the scope of the first burst does not change while the incident is open.
    Incident first = incident(report(48, 0, 0));
    assertThat(first.scope()).isEqualTo(FaultScope.GPU);
    stores.clock().advance(Duration.ofHours(5));
    Incident worse = incident(report(79, 0, 0));

    assertThat(worse.id()).isEqualTo(first.id());
    assertThat(worse.scope()).isEqualTo(FaultScope.NODE);
    assertThat(worse.xid()).isEqualTo(79);
    assertThat(incident(report(48, 0, 0)).xid()).as("a weaker one").isEqualTo(79);
  }

  @Test
  void anOldEventIsCountedAndWidensNothing() {
    // Fails when a replay from before the fault counts as its burst.
    report(48, 0, 0);
    Instant now = stores.clock().instant();
    report(79, 0, 0, now.minus(Duration.ofMinutes(4)));
    Incident after = incident(report(79, 0, 0, now.minus(Duration.ofHours(2))));

    assertThat(after.scope()).isEqualTo(FaultScope.GPU);
    assertThat(after.xid()).isEqualTo(48);
    assertThat(after.events()).isEqualTo(3);
    Incident near = incident(report(79, 0, 0, now.minus(Duration.ofMinutes(3))));
    assertThat(near.scope()).as("of the same burst, late").isEqualTo(FaultScope.NODE);
  }

  /** Fails when only the number of the XID decides, or a requested reset of the driver is lost. */
  @Test
  void anErrorOfNvLinkIsolatesWhenTheDriverCallsItFatalOrAsksForAReset() {
    Instant now = stores.clock().instant();
    String line = "NVRM: Xid (PCI:0000:3b:00): ";
    HealthEvent nonfatal =
        new HealthEvent(
            "a", now, "n0", "n0/0", null, 145, line + "145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 3");
    HealthEvent reset =
        new HealthEvent(
            "b",
            now.plusSeconds(1),
            "n0",
            "n0/0",
            null,
            154,
            line + "154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)");
    calls.clear();
    assertThat(take(nonfatal))
        .extracting(Intake::verdict)
        .containsExactly(Judgement.Verdict.HARMLESS);
    assertThat(calls).as("waits for no lock").doesNotContain("enter");
    assertThat(node(0).state()).isEqualTo(NodeState.ACTIVE);

    Incident opened = incident(take(reset).getFirst());
    assertThat(opened.scope()).isEqualTo(FaultScope.GPU);
    assertThat(opened.step()).isEqualTo(RepairStep.RESET_GPU);

    HealthEvent fatal =
        new HealthEvent(
            "c", now, "n1", "n1/0", null, 145, line + "145, RLW_SRC_TRACK Fatal XC1 i0 Link 3");
    assertThat(incident(take(fatal).getFirst()).scope()).isEqualTo(FaultScope.NODE);
  }

  @Test
  void aBatchReadsItsNodesAloneAndTheQuarantinesOnce() {
    // Fails when the intake reads the fleet, or the quarantines for each event.
    Instant now = stores.clock().instant();
    HealthEvent[] batch =
        IntStream.range(0, 100)
            .mapToObj(i -> event(79, i % NODES, "n" + i % NODES + "/" + i % 8, now))
            .toArray(HealthEvent[]::new);
    calls.clear();
    take(batch);

    assertThat(calls).doesNotContain("nodes");
    assertThat(Collections.frequency(calls, "standing")).isEqualTo(1);
    assertThat(Collections.frequency(calls, "size")).isEqualTo(1);
    assertThat(Collections.frequency(calls, "lastReleased")).isEqualTo(NODES);
    assertThat(Collections.frequency(calls, "enter")).isEqualTo(1);
  }

  @Test
  void whatIsolatesAndJoinsNothingWaitsForNoLock() {
    // Fails when each report of a harmless code waits for all others of its cluster.
    Instant now = stores.clock().instant();
    HealthEvent known = event(79, 0, "n0/0", now);
    take(known, event(31, 1, "n1/0", now));
    calls.clear();
    take(event(31, 1, "n1/0", now), event(999, 0, "n0/0", now), event(79, 9, null, now), known);
    assertThat(calls).doesNotContain("enter", "standing");
    take(event(31, 0, "n0/0", now));
    assertThat(calls).as("joins the open incident").contains("enter");
  }

  @Test
  void devicesThatNoClusterReportsShareOneIncidentBeyondABound() {
    // Fails when each invented device name opens an incident and a quarantine.
    Instant now = stores.clock().instant();
    take(
        IntStream.range(0, 100)
            .mapToObj(i -> event(79, 0, "made-up-" + i, now))
            .toArray(HealthEvent[]::new));
    List<Incident> open = stores.health().open(List.of(node(0).id()));
    assertThat(open).hasSize(OpenIncidents.STRANGERS + 1);
    assertThat(open.getLast().gpu()).isNull();
    assertThat(open.getLast().events()).isEqualTo(100 - OpenIncidents.STRANGERS);

    assertThat(report(79, 0, 3).incident().gpu()).as("one of its own").isEqualTo("n0/3");
  }

  @Test
  void theBreakerCountsOnlyNodesInServiceThatFairleadAloneHolds() {
    // Fails when a hold of an operator, or a removed machine, counts for the breaker.
    report(79, 0, 0);
    commands.hold(olga, "n0", "waits for a part", null, false);
    report(79, 1, 0);
    assertThat(node(1).state()).as("n0 is olga's").isEqualTo(NodeState.QUARANTINED);
    NodeReport[] without1 =
        Stream.of(0, 2, 3).map(i -> NodeReports.node("n" + i).build()).toArray(NodeReport[]::new);
    world.report(without1);
    report(79, 2, 0);
    assertThat(node(2).state()).as("n1 is gone").isEqualTo(NodeState.QUARANTINED);
    assertThat(report(79, 3, 0).incident().isolation()).startsWith("not isolated");
  }

  @Test
  void aFaultOnANodeThatAnOperatorHoldsUsesNoRoomOfTheBreaker() {
    // Fails when the breaker counts a held node once a fault is reported there.
    commands.hold(olga, "n0", "maintenance", null, false);
    report(79, 0, 0);
    report(79, 1, 0);
    assertThat(node(1).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(report(79, 2, 0).incident().isolation()).startsWith("not isolated");
  }

  @Test
  void aNodeThatIsGoneIsReleasedByItsNameOrId() {
    // Fails when the quarantine of a machine that its cluster no longer lists cannot be ended.
    Node gone = node(0);
    report(79, 0, 0);
    world.report(NodeReports.node("n1").build());
    assertThat(commands.release(olga, gone.id().text(), "scrapped", true)).hasSize(1);
    assertThat(commands.release(olga, "n0", "scrapped", false)).hasSize(1);
    assertThat(standing()).isEmpty();
  }

  @Test
  void aHoldNeverShortensAndLeavesThatOfAnotherOperatorAlone() {
    // Fails when an hour's hold ends the automatic day, or takes over another operator's hold.
    report(79, 0, 0);
    Instant day = stores.clock().instant().plus(Quarantine.UNHELD);
    commands.hold(olga, "n0", "a look", Duration.ofHours(1), false);
    assertThat(standing()).extracting(Quarantine::until).containsExactly(day);
    commands.hold(olga, "n0", "a part", null, false);
    assertThat(standing()).extracting(Quarantine::until).containsOnlyNulls();

    Actor omar = new Actor(world.tenant().id(), "omar", Role.ADMIN);
    commands.hold(omar, "n0", "a test", Duration.ofHours(1), false);
    assertThat(standing()).extracting(Quarantine::owner).containsExactly("olga", "omar");
    Quarantine first = standing().getFirst();
    assertThat(first.until()).isNull();
    assertThat(first.cause()).endsWith("node n0; held: a part");
    assertThat(standing().getLast().over()).satisfies(reason("health-intake.duration-set-omar-over", "omar"));
  }
}
