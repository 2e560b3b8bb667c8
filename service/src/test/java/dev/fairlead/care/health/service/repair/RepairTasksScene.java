package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.campaign.service.CampaignsOutOfUse;
import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.Machines;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** A node with a repairer and turns of the repair loop. */
abstract class RepairTasksScene {

  final MemoryStores stores = MemoryStores.empty(1);
  final MeterRegistry metrics = new SimpleMeterRegistry();
  final TestWorld world = TestWorld.in(stores);
  final Machines machines = new Machines();
  final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  final QuarantineCommands quarantines =
      new QuarantineCommands(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          stores.audit(),
          stores.clock());
  final Repairs repairs =
      new Repairs(
          stores.transactions(),
          stores.repairs(),
          stores.health(),
          stores.inventory(),
          stores.audit(),
          stores.clock(),
          metrics);
  final Repairers repairers =
      new Repairers(
          stores.transactions(),
          stores.repairs(),
          stores.inventory(),
          machines,
          purpose -> Optional.of(new byte[32]),
          stores.audit());
  boolean tests;
  final Tenant first =
      new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
  long nanos;
  RepairLoop loop = loop("one");

  RepairLoop loop(String process) {
    return new RepairLoop(
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process),
        stores.repairs(),
        new CampaignsOutOfUse(stores.campaigns()),
        stores.health(),
        stores.inventory(),
        new RepairTasks(
            stores.repairs(),
            stores.health(),
            stores.inventory(),
            machines,
            machines,
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

  @BeforeEach
  void aNodeWithARepairer() {
    stores.transactions().run(() -> stores.tenants().insert(first));
    boots("boot-1");
    set(RepairStep.RESET_GPU, RepairStep.REBOOT, RepairStep.POWER_CYCLE);
    tick(); // a supervisor notes its cluster after the loop began to look
  }

  void boots(String boot) {
    world.report(NodeReports.node("n1").bootId(boot).build());
  }

  void set(RepairStep... steps) {
    set(world, steps);
  }

  void set(TestWorld of, RepairStep... steps) {
    RepairerView _ =
        repairers.put(
            olga,
            of.cluster().name(),
            new Repairers.Draft(List.of(steps), tests, "https://public.example/repair", null),
            null,
            false);
  }

  void tick() {
    tick(Duration.ofSeconds(10));
  }

  void tick(Duration later) {
    tick(world, later);
  }

  /** After a contact only with the cluster of this world. */
  void tick(TestWorld seen, Duration later) {
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(seen.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  void isolated(RepairStep step) {
    isolated("n1", step);
  }

  void isolated(String name, RepairStep step) {
    isolated(world.node(name), step);
  }

  void isolated(Node node, RepairStep step) {
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

  Repair repair() {
    return repairs.list("n1", false, null, 1).getFirst().repair();
  }

  RepairTask task() {
    return stores.repairs().tasks(repair().id()).getLast();
  }

  List<RepairCall.Action> asked() {
    return machines.calls.stream().map(RepairCall::action).toList();
  }

  NodeState state() {
    return world.node("n1").state();
  }
}
