package dev.fairlead.care.health.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Effect of machine inventories on known devices. */
class DeviceIntakeTest {
  private final MemoryStores stores = MemoryStores.empty(31);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final List<String> calls = new ArrayList<>();
  private final DeviceIntake intake =
      new DeviceIntake(stores.transactions(), stores.inventory(), counted(), stores.clock());

  @BeforeEach
  void twoNodes() {
    world.report(NodeReports.node("n0").build(), NodeReports.node("n1").build());
  }

  private DeviceStore counted() {
    return (DeviceStore)
        Proxy.newProxyInstance(
            DeviceStore.class.getClassLoader(),
            new Class<?>[] {DeviceStore.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              return method.invoke(stores.devices(), arguments);
            });
  }

  private NodeDevices list(String node, String prefix, int count) {
    return new NodeDevices(
        node,
        stores.clock().instant(),
        IntStream.range(0, count).mapToObj(i -> new NodeDevices.Listed(prefix + i, null)).toList());
  }

  private List<String> take(NodeDevices... lists) {
    stores.clock().advance(Duration.ofMinutes(5));
    return intake.take(olga, world.cluster().id().text(), List.of(lists));
  }

  private List<Device> on(String node) {
    return stores.devices().on(List.of(world.node(node).id()));
  }

  /**
   * Fails when devices or machines are read or written one by one under the cluster's lock, or are
   * read before the lock of all devices is held.
   */
  @Test
  void reportIsReadAndWrittenOnceForAnyNumberOfMachines() {
    take(list("n0", "a", 8), list("n1", "b", 8));
    assertThat(calls).containsExactly("enter", "on", "withUuids", "write");
    assertThat(on("n0")).hasSize(8);
    assertThat(on("n1")).hasSize(8);
  }

  /** Fails when one machine of a report is judged without the others. */
  @Test
  void deviceListedInAnotherMachineHasMoved() {
    take(list("n0", "a", 2), list("n1", "b", 2));
    take(list("n0", "c", 1), list("n1", "a", 2));
    assertThat(on("n1"))
        .filteredOn(device -> device.missingSince() == null)
        .extracting(Device::uuid)
        .containsExactlyInAnyOrder("a0", "a1");
    assertThat(on("n0")).extracting(Device::uuid).containsExactly("c0");
  }

  /**
   * Fails when the monitor of one cluster moves devices of another, or repeats fill the history.
   */
  @Test
  void deviceOfAnotherClusterIsIgnoredAndReportedOnce() {
    TestWorld other = TestWorld.in(stores);
    take(list("n0", "a", 2));
    for (int times = 0; times < 3; times++) {
      stores.clock().advance(Duration.ofMinutes(1));
      NodeDevices claimed = list("node-1", "a", 1);
      assertThat(intake.take(olga, other.cluster().id().text(), List.of(claimed)))
          .containsExactly("node-1");
    }
    assertThat(on("n0")).extracting(Device::uuid).containsExactlyInAnyOrder("a0", "a1");
    assertThat(stores.devices().history("a0", null, 10))
        .extracting(DeviceChange::kind)
        .containsExactly(DeviceChange.Kind.CONTRADICTED, DeviceChange.Kind.FOUND);
  }

  /**
   * Fails when a device reported by many machines costs a row or a statement for each machine, or
   * the lock for each repeat.
   */
  @Test
  void contradictionIsRecordedOnceADayForAnyNumberOfReports() {
    TestWorld other = TestWorld.in(stores);
    NodeReport[] nodes =
        IntStream.range(0, 30)
            .mapToObj(i -> NodeReports.node("m" + i).build())
            .toArray(NodeReport[]::new);
    other.report(nodes);
    take(list("n0", "a", 1));
    for (int times = 0; times < 10; times++) {
      claimed(other);
    }
    assertThat(contradictions()).isEqualTo(1);
    NodeDevices.Listed gpu = new NodeDevices.Listed("a0", null);
    DeviceObservation repeated =
        DeviceIntake.sighting(other.node("m7"), gpu, DeviceSource.EVENT, stores.clock().instant());
    assertThat(intake.finds(List.of(repeated))).isFalse();

    stores.clock().advance(Duration.ofDays(1));
    take(list("n0", "a", 1));
    claimed(other);
    claimed(other);
    assertThat(contradictions()).isEqualTo(2);
  }

  private void claimed(TestWorld other) {
    stores.clock().advance(Duration.ofMinutes(1));
    NodeDevices[] claims =
        IntStream.range(0, 30).mapToObj(i -> list("m" + i, "a", 1)).toArray(NodeDevices[]::new);
    calls.clear();
    assertThat(intake.take(olga, other.cluster().id().text(), List.of(claims))).hasSize(30);
    assertThat(calls)
        .doesNotHaveDuplicates()
        .filteredOn(call -> !call.equals("enter"))
        .hasSizeLessThanOrEqualTo(4);
  }

  /** Fails when two machines with one UUID fill the history, or the order of a report counts. */
  @Test
  void deviceThatTwoMachinesListIsReportedOnceADay() {
    take(list("n0", "a", 2), list("n1", "b", 1));
    for (int times = 0; times < 5; times++) {
      assertThat(take(list("n1", "a", 1))).containsExactly("n1");
      assertThat(take(list("n0", "a", 2))).isEmpty();
    }
    assertThat(stores.devices().history("a0", null, 500))
        .extracting(DeviceChange::kind)
        .containsExactly(DeviceChange.Kind.CONTRADICTED, DeviceChange.Kind.FOUND);
    assertThat(take(list("n1", "a", 1), list("n0", "c", 1))).as("moved in one report").isEmpty();
    assertThat(on("n1")).extracting(Device::uuid).contains("a0");
  }

  /** Fails when the devices of a renamed or dead machine remain under its earlier name. */
  @Test
  void devicesOfAMachineThatIsGoneMoveWithTheFirstListOfAnother() {
    take(list("n0", "a", 1), list("n1", "b", 1));
    world.report(
        NodeReports.node("n1").build(),
        NodeReports.node("n2").build(),
        NodeReports.node("n0").notReady().build());
    assertThat(take(list("n2", "a", 1))).as("of a dead machine").isEmpty();
    for (int times = 0; times < 2; times++) {
      world.report(NodeReports.node("n0").build(), NodeReports.node("n2").build());
    }
    assertThat(take(list("n0", "b", 1))).as("of a removed machine").isEmpty();
    assertThat(on("n2")).extracting(Device::uuid).containsExactly("a0");
    assertThat(on("n0")).extracting(Device::uuid).containsExactly("b0");
  }

  /** Fails when a list that is too old to move a device of a dead machine marks it as missing. */
  @Test
  void oldListChangesNoDeviceOfADeadMachine() {
    NodeDevices old = list("n1", "a", 1);
    stores.clock().advance(Duration.ofMinutes(1));
    take(list("n0", "a", 1));
    world.report(NodeReports.node("n0").notReady().build(), NodeReports.node("n1").build());

    assertThat(take(old)).isEmpty();

    assertThat(on("n0")).singleElement().extracting(Device::missingSince).isNull();
  }

  private long contradictions() {
    return stores.devices().history("a0", null, 500).stream()
        .filter(DeviceChange::contradicts)
        .count();
  }

  /** Fails when invented device names fill the table, from inventories or from faults. */
  @Test
  void moreDevicesThanAMachineCanHaveAreRefused() {
    for (int exchanged = 0; exchanged < 4; exchanged++) {
      assertThat(take(list("n0", exchanged + "-", 64))).isEmpty();
    }
    assertThat(take(list("n0", "more", 1), list("n1", "other", 1))).containsExactly("n0");
    assertThat(take(list("n0", "1-", 65))).as("one of them is new").containsExactly("n0");
    assertThat(on("n0").stream().filter(device -> device.missingSince() == null))
        .as("Fails when a list with one too many leaves the others as they were")
        .hasSize(64)
        .allMatch(device -> device.uuid().startsWith("1-"));
    assertThat(take(list("n0", "0-", 64))).as("of known ones").isEmpty();
    assertThat(on("n0")).hasSize(DeviceIntake.MOST);
    assertThat(on("n1")).hasSize(1);

    NodeDevices.Listed made = new NodeDevices.Listed("made-up", null);
    intake.note(
        List.of(
            DeviceIntake.sighting(
                world.node("n0"), made, DeviceSource.EVENT, stores.clock().instant())));
    assertThat(on("n0")).hasSize(DeviceIntake.MOST);
  }
}
