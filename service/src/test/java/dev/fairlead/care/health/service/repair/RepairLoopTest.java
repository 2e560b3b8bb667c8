package dev.fairlead.care.health.service.repair;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.service.CampaignsOutOfUse;
import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.Machines;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Step-by-step repair of an isolated node, by orders of operators. */
class RepairLoopTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final MeterRegistry metrics = new SimpleMeterRegistry();
  private final TestWorld world = TestWorld.in(stores);
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  private final QuarantineCommands quarantines =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  private final Repairs repairs =
      new Repairs(
          stores.transactions(),
          stores.repairs(),
          stores.health(),
          stores.inventory(),
          stores.audit(),
          stores.clock(),
          metrics);
  private long nanos;
  private Runnable meanwhile = () -> {};
  private final List<Quarantine> written = new ArrayList<>();
  private RepairLoop loop = loop("one");

  private RepairLoop loop(String process) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process);
    return new RepairLoop(
        leases,
        stores.repairs(),
        new CampaignsOutOfUse(stores.campaigns()),
        health(),
        inventory(),
        new RepairTasks(
            stores.repairs(),
            stores.health(),
            stores.inventory(),
            new Machines(),
            new Machines(),
            purpose -> Optional.of(new byte[32]),
            new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
            stores.transactions(),
            stores.ids(),
            stores.clock(),
            metrics),
        stores.transactions(),
        stores.ids(),
        stores.clock(),
        metrics);
  }

  /** Runs {@link #meanwhile} between the loop's read and its first row. */
  private InventoryStore inventory() {
    return (InventoryStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {InventoryStore.class},
            (proxy, method, arguments) -> {
              Object answer = method.invoke(stores.inventory(), arguments);
              if (method.getName().equals("pods")) {
                Runnable now = meanwhile;
                meanwhile = () -> {};
                now.run();
              }
              return answer;
            });
  }

  /** Records the quarantines that the loop writes. */
  private HealthStore health() {
    return (HealthStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {HealthStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("write")) {
                Object rows = arguments[0];
                (rows instanceof Collection<?> all ? all : List.of(rows))
                    .forEach(row -> written.add((Quarantine) row));
              }
              return method.invoke(stores.health(), arguments);
            });
  }

  @BeforeEach
  void aNode() {
    world.report(NodeReports.node("n1").build());
  }

  private void tick() {
    tick(Duration.ofSeconds(10));
  }

  private void tick(Duration later) {
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(world.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  private void isolated(RepairStep step) {
    Node node = world.node("n1");
    Instant now = stores.clock().instant();
    Incident incident =
        new Incident(
            new IncidentId(stores.ids().next()),
            node.cluster(),
            node.id(),
            node.name(),
            "GPU-1",
            null,
            79,
            "XID 79 (GPU has fallen off the bus)",
            FaultScope.NODE,
            step,
            now,
            now,
            1,
            "",
            null);
    stores
        .transactions()
        .run(() -> {
          stores.health().write(incident);
          isolation.round(node.cluster(), now).isolate(node, incident);
        });
  }

  private Repair repair() {
    return repairs.list("n1", false, null, 1).getFirst().repair();
  }

  private Repair order(RepairOrder order) {
    return repairs.order(olga, repair().id(), order, repair().step(), "because", false).repair();
  }

  /** Fails when the ladder is not walked from the quarantine to its end. */
  @Test
  void aNodeIsAskedForRepairedAndReleased() {
    tick();
    assertThat(repairs.list(null, false, null, 10)).isEmpty();
    isolated(RepairStep.REBOOT);

    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    stores.advance(Duration.ofMinutes(7));
    assertThat(order(RepairOrder.DONE).state()).isEqualTo(RepairState.REPAIRED);
    tick();
    assertThat(repair().state()).as("an operator releases it").isEqualTo(RepairState.REPAIRED);

    quarantines.release(olga, "n1", "diagnosis passed", false);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ENDED);
    assertThat(repair().steps()).extracting(Repair.Step::by).containsExactly("olga");
    assertThat(
            metrics
                .get("fairlead.repair.step")
                .tag("step", "REBOOT")
                .timer()
                .totalTime(TimeUnit.MINUTES))
        .isEqualTo(7);
    assertThat(stores.auditEntries()).anyMatch(row -> row.operation().equals("orderRepair"));
  }

  /** Fails when a machine is rebooted under a job that still runs there. */
  @Test
  void aStepWaitsForTheJobsOfTheNode() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);

    tick();
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.WAITING);
    assertThat(repair().message()).satisfies(reason("repair-loop.pods-jobs-node", 1));

    world.succeed(attempt);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
  }

  /** Fails when a machine is rebooted under a job, as its node is missing in one report. */
  @Test
  void aStepWaitsForTheJobsOfANodeThatItsClusterDoesNotShow() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    world.report();

    tick();
    tick();
    assertThat(stores.repairs().open())
        .extracting(Repair::state)
        .containsExactly(RepairState.WAITING);

    world.succeed(attempt);
    tick();
    assertThat(stores.repairs().open())
        .extracting(Repair::state)
        .containsExactly(RepairState.ASKED);
  }

  /** Fails when a step is requested for a machine that was released concurrently, and is in use. */
  @Test
  void aNodeThatIsReleasedMeanwhileIsNotAskedForAStep() {
    isolated(RepairStep.REBOOT);
    meanwhile = () -> quarantines.release(olga, "n1", "it was the cable", false);

    tick();
    tick();
    assertThat(repairs.list("n1", false, null, 10)).isEmpty();
  }

  /** Fails when an overdue step is not reported, or still reported after it is done. */
  @Test
  void aStepThatTakesTooLongIsCountedUntilItIsDone() {
    isolated(RepairStep.REBOOT);
    tick();
    tick(Duration.ofMinutes(29));
    assertThat(overdue(RepairStep.REBOOT)).isZero();

    tick(Duration.ofMinutes(2));
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);
    assertThat(overdue(RepairStep.REPLACE)).isZero();

    Repair _ = order(RepairOrder.HOLD);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).as("an operator knows of it").isZero();
    Repair _ = order(RepairOrder.RESUME);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);

    Repair _ = order(RepairOrder.DONE);
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isZero();
  }

  /** Fails when it is reported for a node that a campaign has out of use. */
  @Test
  void aStepOfANodeThatACampaignHasOutOfUseIsNotCounted() {
    isolated(RepairStep.REBOOT);
    tick();
    tick(Duration.ofMinutes(31));
    assertThat(overdue(RepairStep.REBOOT)).isEqualTo(1);

    outOfUseForACampaign(world.node("n1"));
    tick();
    assertThat(overdue(RepairStep.REBOOT)).isZero();
  }

  private void outOfUseForACampaign(Node node) {
    Instant now = stores.clock().instant();
    CampaignId id = new CampaignId(stores.ids().next());
    CampaignRules rules = new CampaignRules(1, null, CampaignDeadline.WAIT, 0, Duration.ZERO);
    stores
        .campaigns()
        .insert(
            new Campaign(
                id,
                "k",
                "k",
                olga.tenant(),
                "olga",
                rules,
                1,
                CampaignState.RUNNING,
                "",
                now,
                null,
                1),
            List.of(
                new CampaignNode(
                    id,
                    node.id(),
                    "n1",
                    node.cluster(),
                    0,
                    CampaignNodeState.READY,
                    false,
                    null,
                    now,
                    null,
                    "",
                    1)));
  }

  private double overdue(RepairStep step) {
    return metrics.get("fairlead.repair.overdue").tag("step", step.name()).gauge().value();
  }

  /** Fails when a machine accepts jobs during a manual repair because its 24 hours are over. */
  @Test
  void aStepThatIsAskedForKeepsTheNodeOutOfUse() {
    isolated(RepairStep.REPLACE);
    tick();
    for (int day = 0; day < 6; day++) {
      tick(Duration.ofHours(10));
      assertThat(standing().due(stores.clock().instant())).isFalse();
    }
    Repair _ = order(RepairOrder.DONE);
    tick(Duration.ofHours(25));

    assertThat(standing().due(stores.clock().instant())).as("it is done").isTrue();
  }

  /** Fails when unchanged rows of a domain are written every minute. */
  @Test
  void theEndOfADomainThatIsNearIsLeftAlone() {
    Node node = world.node("n1");
    Instant now = stores.clock().instant();
    DomainQuarantine rack =
        new DomainQuarantine(
            new DomainQuarantineId(stores.ids().next()),
            node.cluster(),
            "rack",
            "r1",
            "cooling fails",
            "olga",
            now,
            now.plus(Duration.ofHours(2)),
            null,
            null,
            1);
    stores
        .transactions()
        .run(() -> {
          stores.health().write(rack);
          stores
              .health()
              .write(
                  new Quarantine(
                      new QuarantineId(stores.ids().next()),
                      node.cluster(),
                      node.id(),
                      null,
                      null,
                      rack.id(),
                      rack.reason(),
                      rack.owner(),
                      now,
                      rack.until(),
                      null,
                      null));
        });
    isolated(RepairStep.REPLACE);
    tick();
    assertThat(repair().keepsOut()).isTrue();

    for (int minute = 0; minute < 5; minute++) {
      tick(Duration.ofMinutes(1));
    }
    assertThat(written).isEmpty();

    tick(Duration.ofHours(13));
    assertThat(written).extracting(Quarantine::domain).containsOnlyNulls().hasSize(1);
  }

  /** Fails when a failed pass prevents the extension of quarantines. */
  @Test
  void aLookThatFailsLetsNoQuarantineEnd() {
    isolated(RepairStep.REPLACE);
    tick();
    assertThat(repair().keepsOut()).isTrue();
    meanwhile =
        () -> {
          throw new IllegalStateException("pods cannot be counted");
        };

    assertThatThrownBy(() -> tick(Duration.ofHours(13))).hasMessageContaining("cannot be counted");

    assertThat(standing().due(stores.clock().instant().plus(Duration.ofHours(12)))).isFalse();
  }

  /** Fails when a repair that is held ends by its time, undone. */
  @Test
  void aRepairThatIsHeldKeepsTheNodeOutOfUse() {
    Attempt _ = world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "n1"));
    isolated(RepairStep.REBOOT);
    tick();
    Repair _ = order(RepairOrder.HOLD);
    tick(Duration.ofHours(20));
    tick(Duration.ofHours(20));

    assertThat(standing().due(stores.clock().instant())).isFalse();
  }

  /** Fails when the history of a removed machine cannot be read. */
  @Test
  void repairsOfANodeThatLeftAreFoundByItsId() {
    isolated(RepairStep.REPLACE);
    tick();
    String id = world.node("n1").id().text();
    world.report();
    tick(Duration.ofDays(8));
    world.report();

    assertThat(stores.inventory().nodes(null)).isEmpty();
    assertThat(repairs.list(id, false, null, 10)).hasSize(1);
  }

  /** Fails when a device whose fault returns after its repair waits unnoticed for its release. */
  @Test
  void aFaultThatShowsAgainAsksForTheNextStep() {
    isolated(RepairStep.RESET_GPU);
    seen("e-1");
    tick();
    Repair _ = order(RepairOrder.DONE);
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.REPAIRED);

    seen("e-2");
    tick();
    assertThat(repair().state()).isEqualTo(RepairState.ASKED);
    assertThat(repair().step()).isEqualTo(RepairStep.REBOOT);
    assertThat(repair().cause()).endsWith(", after RESET_GPU was done");
  }

  private void seen(String id) {
    stores.advance(Duration.ofSeconds(1));
    Node node = world.node("n1");
    Instant at = stores.clock().instant();
    HealthEvent event = new HealthEvent(id, at, "n1", "GPU-1", null, 79, "");
    HealthRecord row = new HealthRecord(event, node.id(), Judgement.Verdict.FATAL, null);
    assertThat(stores.health().insert(node.cluster(), List.of(row), at)).containsExactly(id);
  }

  private Quarantine standing() {
    return stores.health().standing(world.cluster().id()).getFirst();
  }

  /** Fails when a process that takes over begins a second repair, or repeats a request. */
  @Test
  void anotherProcessGoesOnFromTheRow() {
    isolated(RepairStep.RESET_GPU);
    tick();
    Repair before = repair();
    loop.close();
    loop = loop("two");

    tick();
    tick();
    assertThat(repairs.list("n1", false, null, 10)).hasSize(1);
    assertThat(repair()).isEqualTo(before);
  }

  /** Fails when an order for one step ends a later one, or skips two. */
  @Test
  void anOrderIsOfTheStepThatTheOperatorRead() {
    isolated(RepairStep.RESET_GPU);
    tick();
    assertThat(order(RepairOrder.SKIP).step()).isEqualTo(RepairStep.REBOOT);
    tick();

    for (RepairOrder order : List.of(RepairOrder.SKIP, RepairOrder.DONE)) {
      assertThatThrownBy(() ->
              repairs.order(olga, repair().id(), order, RepairStep.RESET_GPU, "because", false))
          .isInstanceOf(Refusal.class)
          .satisfies(problem("repair-loop.step-reboot-asked", "REBOOT", "RESET_GPU", "ASKED"));
    }
    assertThat(repair().steps()).hasSize(1);
  }

  /** Fails when an order without effect is accepted, or a dry run changes something. */
  @Test
  void anOrderThatMeansNothingSaysWhatDoes() {
    isolated(RepairStep.RESET_GPU);
    tick();

    assertThatThrownBy(() -> order(RepairOrder.RESUME))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("RESUME does nothing there")
        .hasMessageContaining("ordered HOLD, SKIP, DONE");
    repairs.order(olga, repair().id(), RepairOrder.SKIP, RepairStep.RESET_GPU, "because", true);
    assertThat(repair().step()).isEqualTo(RepairStep.RESET_GPU);
    Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_OWNER);
    assertThatThrownBy(() ->
            repairs.order(
                ana, repair().id(), RepairOrder.SKIP, RepairStep.RESET_GPU, "because", false))
        .isInstanceOf(Refusal.class);
  }
}
