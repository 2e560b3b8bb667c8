package dev.fairlead.care.health.service;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A cluster of four nodes, and events of its monitors. */
abstract class HealthIntakeScene {

  static final int NODES = 4;
  final MemoryStores stores = MemoryStores.empty(29);
  final TestWorld world = TestWorld.in(stores);
  final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  final List<String> calls = new ArrayList<>();
  final InventoryStore inventory = watched(InventoryStore.class, stores.inventory());
  final HealthStore health = watched(HealthStore.class, stores.health());
  final FaultIsolation isolation = new FaultIsolation(health, inventory, stores.ids());
  final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          inventory,
          health,
          isolation,
          new DeviceIntake(stores.transactions(), inventory, devices(), stores.clock()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  int events;
  boolean devicesAreLocked;
  boolean devicesAreReadOnly;

  @BeforeEach
  void fourNodes() {
    // A quarter of four: the breaker allows one isolation.
    world.report(
        IntStream.range(0, NODES)
            .mapToObj(i -> NodeReports.node("n" + i).build())
            .toArray(NodeReport[]::new));
  }

  /** The store with a record of each call by its name. */
  <T> T watched(Class<T> type, T store) {
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

  DeviceStore devices() {
    return (DeviceStore)
        Proxy.newProxyInstance(
            DeviceStore.class.getClassLoader(),
            new Class<?>[] {DeviceStore.class},
            (proxy, method, arguments) -> {
              if (devicesAreLocked && method.getName().equals("enter")
                  || devicesAreReadOnly && method.getName().equals("write")) {
                throw new IllegalStateException("statement timeout");
              }
              return method.invoke(stores.devices(), arguments);
            });
  }

  Node node(int index) {
    return world.node("n" + index);
  }

  HealthEvent event(int xid, int node, @Nullable String gpu, Instant at) {
    events++;
    return new HealthEvent("e-" + events, at, "n" + node, gpu, null, xid, "");
  }

  Intake report(int xid, int node, int gpu) {
    return report(xid, node, gpu, stores.clock().instant());
  }

  Intake report(int xid, int node, int gpu, Instant at) {
    return take(event(xid, node, "n" + node + "/" + gpu, at)).getFirst();
  }

  List<Intake> take(HealthEvent... batch) {
    return intake.take(olga, world.cluster().id().text(), List.of(batch));
  }

  Incident incident(Intake taken) {
    return stores.health().incident(taken.incident().id()).orElseThrow();
  }

  List<Quarantine> standing() {
    return stores.health().standing(world.cluster().id());
  }
}
