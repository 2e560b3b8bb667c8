package dev.fairlead.care.health.service.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.campaign.service.CampaignsOutOfUse;
import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.Machines;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
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
import org.junit.jupiter.api.BeforeEach;

/** A node with an isolating fault, and turns of the repair loop. */
abstract class RepairLoopScene {

  final MemoryStores stores = MemoryStores.empty(1);
  final MeterRegistry metrics = new SimpleMeterRegistry();
  final TestWorld world = TestWorld.in(stores);
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
  Runnable meanwhile = () -> {};
  final List<Quarantine> written = new ArrayList<>();
  RepairLoop loop = loop("one");

  RepairLoop loop(String process) {
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
  InventoryStore inventory() {
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
  HealthStore health() {
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

  void tick() {
    tick(Duration.ofSeconds(10));
  }

  void tick(Duration later) {
    stores.advance(later);
    nanos += later.toNanos();
    stores.inventory().seen(world.cluster().id(), stores.clock().instant());
    loop.tick();
  }

  void isolated(RepairStep step) {
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

  Repair repair() {
    return repairs.list("n1", false, null, 1).getFirst().repair();
  }

  Repair order(RepairOrder order) {
    return repairs.order(olga, repair().id(), order, repair().step(), "because", false).repair();
  }

  void seen(String id) {
    stores.advance(Duration.ofSeconds(1));
    Node node = world.node("n1");
    Instant at = stores.clock().instant();
    HealthEvent event = new HealthEvent(id, at, "n1", "GPU-1", null, 79, "");
    HealthRecord row = new HealthRecord(event, node.id(), Judgement.Verdict.FATAL, null);
    assertThat(stores.health().insert(node.cluster(), List.of(row), at)).containsExactly(id);
  }

  Quarantine standing() {
    return stores.health().standing(world.cluster().id()).getFirst();
  }
}
