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
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.quarantine.Quarantine;
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
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Effects of monitor events on incidents and quarantines of one cluster. */
class HealthIntakeTest extends HealthIntakeScene {

  private final QuarantineCommands commands =
      new QuarantineCommands(
          stores.transactions(), inventory, health, isolation, stores.audit(), stores.clock());

  /**
   * Fails when an isolation waits in its transaction for the lock of all devices: a report of
   * another cluster that holds the lock too long would roll the isolation back.
   */
  @Test
  void faultIsolatesWhileAnotherClusterLocksTheDevices() {
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
  void reportThatOpensAnIncidentIsOneAuditRow() {
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

  /** Fails when a DCGM code isolates nothing, or a wrong scope. */
  @Test
  void dcgmCodeIsolatesByItsRow() {
    int remap = XidTable.number("DCGM_FR_ROW_REMAP_FAILURE").orElseThrow();
    int watch = XidTable.number("DCGM_HEALTH_WATCH_MEM_WARN").orElseThrow();

    assertThat(report(watch, 0, 0).incident()).isNull();
    assertThat(report(XidTable.OTHER_DCGM, 0, 0).verdict()).isEqualTo(Judgement.Verdict.UNKNOWN);
    assertThat(standing()).isEmpty();
    Incident incident = incident(report(remap, 0, 0));
    assertThat(incident.scope()).isEqualTo(FaultScope.GPU);
    assertThat(incident.step()).isEqualTo(RepairStep.REPLACE);
    assertThat(incident.text())
        .satisfies(reason("health-intake.remapping-row-failed", "DCGM_FR_ROW_REMAP_FAILURE"));
    assertThat(standing()).hasSize(1);
  }

  private Actor monitor(@Nullable UUID cluster) {
    Credential token = new Credential(new UUID(7, 7), world.tenant().id(), Instant.MAX, cluster);
    TreeSet<Role> roles = new TreeSet<>(List.of(Role.MONITOR));
    return new Actor(world.tenant().id(), "sa:dcgm", roles, null, token, roles);
  }

  /** Fails when a fault is accepted from the monitor of another cluster, or of none. */
  @Test
  void monitorReportsOnlyForTheClusterOfItsToken() {
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
  void faultRejectedByTheBreakerIsIsolatedByItsNextEventOnceThereIsRoom() {
    // Fails when an event that joins an incident is never checked against the breaker again.
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
  void consequentialErrorIsolatesNothingLater() {
    report(79, 0, 0);
    report(79, 1, 7);
    commands.release(olga, "n0", "exchanged", false);
    report(45, 1, 7);
    assertThat(standing()).isEmpty();
  }

  @Test
  void operatorQuarantinesAndReleasesAFaultRejectedByTheBreaker() {
    // Fails when the hold does not take over the incident: its release would leave the incident
    // open.
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
  void releaseEndsAnIncidentWithoutIsolation() {
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

  /** Fails when only the number of the XID decides, or a requested reset of the driver is lost. */
  @Test
  void nvLinkErrorIsolatesWhenTheDriverReportsItFatalOrRequestsAReset() {
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
  void devicesThatNoClusterReportsShareOneIncidentBeyondABound() {
    // Fails when each unknown device name opens an incident and a quarantine.
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
  void breakerCountsOnlyInServiceNodesHeldByFairlead() {
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
  void faultOnANodeHeldByAnOperatorUsesNoRoomOfTheBreaker() {
    // Fails when the breaker counts a held node after a fault report.
    commands.hold(olga, "n0", "maintenance", null, false);
    report(79, 0, 0);
    report(79, 1, 0);
    assertThat(node(1).state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(report(79, 2, 0).incident().isolation()).startsWith("not isolated");
  }

  @Test
  void deletedNodeIsReleasedByNameOrId() {
    // Fails when the quarantine of a machine that its cluster no longer lists cannot be ended.
    Node gone = node(0);
    report(79, 0, 0);
    world.report(NodeReports.node("n1").build());
    assertThat(commands.release(olga, gone.id().text(), "scrapped", true)).hasSize(1);
    assertThat(commands.release(olga, "n0", "scrapped", false)).hasSize(1);
    assertThat(standing()).isEmpty();
  }

  @Test
  void holdNeverShortensAndLeavesHoldsOfOtherOperators() {
    // Fails when a hold of an hour shortens the automatic quarantine of a day, or takes over
    // another operator's hold.
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
    assertThat(standing().getLast().over())
        .satisfies(reason("health-intake.duration-set-omar-over", "omar"));
  }

  private List<String> lists(String node) {
    NodeDevices.Listed gpu = new NodeDevices.Listed("GPU-1", "s-1");
    NodeDevices list = new NodeDevices(node, stores.clock().instant(), List.of(gpu));
    return intake.list(olga, world.cluster().id().text(), List.of(list));
  }

  private void renames(String before, String after) {
    for (int times = 0; times < 2; times++) {
      world.report(
          Stream.of("n0", "n1", "n2", "n3", after)
              .filter(name -> !name.equals(before))
              .map(name -> NodeReports.node(name).build())
              .toArray(NodeReport[]::new));
    }
    stores.clock().advance(Duration.ofMinutes(1));
  }

  /** Fails when a faulty GPU gets jobs again because its machine has another name. */
  @Test
  void openIncidentFollowsItsGpuToARenamedMachine() {
    assertThat(lists("n0")).isEmpty();
    Intake first = take(event(48, 0, "GPU-1", stores.clock().instant())).getFirst();
    renames("n0", "renamed");

    assertThat(lists("renamed")).isEmpty();
    assertThat(lists("renamed")).isEmpty();

    Node there = world.node("renamed");
    Incident fault = stores.health().open(List.of(there.id())).getFirst();
    assertThat(there.state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(fault)
        .extracting(Incident::gpu, Incident::cause, Incident::scope, Incident::step)
        .containsExactly(
            "GPU-1", incident(first).cause(), incident(first).scope(), incident(first).step());
    assertThat(stores.health().open(List.of(there.id()))).hasSize(1);
    assertThat(reports()).as("audit rows of both incidents").hasSize(2);
  }

  /** Fails when a process that ends before the move is stored leaves the machine in service. */
  @Test
  void openIncidentFollowsItsGpuOnceEvenIfTheMoveIsStoredLater() {
    assertThat(lists("n0")).isEmpty();
    take(event(48, 0, "GPU-1", stores.clock().instant()));
    renames("n0", "renamed");
    devicesAreReadOnly = true;
    assertThatThrownBy(() -> lists("renamed")).hasMessage("statement timeout");
    devicesAreReadOnly = false;

    assertThat(world.node("renamed").state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(lists("renamed")).isEmpty();
    Node there = world.node("renamed");
    assertThat(stores.health().open(List.of(there.id()))).hasSize(1);
    var _ = commands.release(olga, "renamed", "repaired", false);
    stores.clock().advance(Duration.ofMinutes(5));
    assertThat(lists("renamed")).isEmpty();
    assertThat(stores.health().open(List.of(there.id()))).as("after its release").isEmpty();
  }

  /** Fails when an event that isolates nothing stores the move, so that no inventory finds it. */
  @Test
  void openIncidentFollowsItsGpuThatAnEventNamesBeforeAnInventory() {
    assertThat(lists("n0")).isEmpty();
    take(event(48, 0, "GPU-1", stores.clock().instant()));
    renames("n0", "renamed");
    stores.clock().advance(Device.TRUSTED);
    Instant now = stores.clock().instant();

    take(new HealthEvent("e-renamed", now, "renamed", "GPU-1", null, 13, ""));

    assertThat(world.node("renamed").state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(lists("renamed")).isEmpty();
    assertThat(stores.health().open(List.of(world.node("renamed").id()))).hasSize(1);
  }

  /** Fails when a sender opens incidents without end by moving devices that it has invented. */
  @Test
  void movedDevicesOpenNoMoreIncidentsInANodeThanEvents() {
    Instant now = stores.clock().instant();
    List<NodeDevices.Listed> moved = new ArrayList<>();
    for (int node = 0; node < 2; node++) {
      for (int gpu = 0; gpu < 10; gpu++) {
        take(event(48, node, "GPU-" + moved.size(), now));
        moved.add(new NodeDevices.Listed("GPU-" + moved.size(), null));
      }
    }
    stores.clock().advance(Device.TRUSTED);
    Instant later = stores.clock().instant();
    NodeDevices list = new NodeDevices("n2", later, moved);

    assertThat(intake.list(olga, world.cluster().id().text(), List.of(list))).isEmpty();

    assertThat(stores.health().open(List.of(node(2).id()))).hasSize(OpenIncidents.STRANGERS);
    assertThat(stores.devices().on(List.of(node(2).id()))).hasSize(moved.size());
  }

  /** Fails when a repaired GPU takes the machine out of service in which it is built. */
  @Test
  void endedIncidentDoesNotFollowItsGpu() {
    assertThat(lists("n0")).isEmpty();
    Intake first = take(event(48, 0, "GPU-1", stores.clock().instant())).getFirst();
    stores.transactions().run(() -> health.write(incident(first).ended(stores.clock().instant())));
    renames("n0", "renamed");

    assertThat(lists("renamed")).isEmpty();

    assertThat(world.node("renamed").state()).isEqualTo(NodeState.ACTIVE);
    assertThat(stores.health().open(List.of(world.node("renamed").id()))).isEmpty();
  }
}
