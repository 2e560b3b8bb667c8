package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** A node with a repairer and passes of the repair loop. */
abstract class RepairTasksScene extends RepairScene {
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
  RepairLoop loop = loop("one");

  @BeforeEach
  void aNodeWithARepairer() {
    stores.transactions().run(() -> stores.tenants().insert(first));
    boots("boot-1");
    set(RepairStep.RESET_GPU, RepairStep.REBOOT, RepairStep.POWER_CYCLE);
    tick(); // a supervisor records its cluster after the loop has begun
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
            new Repairers.Settings(List.of(steps), tests, "https://public.example/repair", null),
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
