package dev.fairlead.care.health.service.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A node with an isolating fault, and passes of the repair loop. */
abstract class RepairLoopScene extends RepairScene {
  Runnable meanwhile = () -> {};
  final List<Quarantine> written = new ArrayList<>();
  RepairLoop loop = loop("one");

  /** Runs {@link #meanwhile} between the loop's read and its first row. */
  @Override
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
  @Override
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

  Repair order(RepairOrder order) {
    RepairView _ = repairs.order(olga, repair().id(), order, repair().step(), "because", false);
    return repair();
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
