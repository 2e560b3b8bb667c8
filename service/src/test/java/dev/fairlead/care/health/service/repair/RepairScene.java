package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.campaign.service.CampaignsOutOfUse;
import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.Machines;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A world with machines that may be isolated by a fault and repaired. */
abstract class RepairScene {
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
  long nanos;

  Leases leases(String process) {
    return new Leases(
        stores.leases(),
        new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
        () -> nanos,
        process);
  }

  RepairLoop loop(String process) {
    return new RepairLoop(
        leases(process),
        stores.repairs(),
        new CampaignsOutOfUse(stores.campaigns()),
        health(),
        inventory(),
        tasks(),
        stores.transactions(),
        stores.ids(),
        stores.clock(),
        metrics);
  }

  HealthStore health() {
    return stores.health();
  }

  InventoryStore inventory() {
    return stores.inventory();
  }

  RepairTasks tasks() {
    return new RepairTasks(
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
        metrics);
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
    return stores.repairs().repairs(world.node("n1").id(), false, null, 1).getFirst();
  }
}
