package dev.fairlead.care.health.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class DeviceStoreContract {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private DeviceStore devices;
  private Node first;
  private Node second;
  private String uuid;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    TestWorld world = TestWorld.in(stores);
    devices = stores.devices();
    first = world.node("node-1");
    second = world.node("node-2");
    uuid = "GPU-" + UUID.nameUUIDFromBytes(first.id().text().getBytes());
  }

  @Test
  void deviceIsFoundByUuidSerialAndNode() {
    Device.Update found = write(Device.found(sighting(first, "s-" + uuid, NOW)));
    Device.Update bare = write(Device.found(sighting(first, null, NOW, uuid + "-b")));

    assertThat(devices.called(uuid)).containsExactly(found.device());
    assertThat(devices.called("s-" + uuid)).containsExactly(found.device());
    assertThat(devices.called("none-such")).isEmpty();
    assertThat(devices.withUuids(List.of(uuid, "none-such"))).containsExactly(found.device());
    assertThat(devices.on(List.of(first.id())))
        .containsExactlyInAnyOrder(found.device(), bare.device());
    assertThat(devices.on(List.of(second.id()))).isEmpty();
  }

  /** Fails when a device that is where it was is read for each event, or a move is not seen. */
  @Test
  void onlyDevicesThatMovedAreUnexpected() {
    Device.Update found = write(Device.found(sighting(first, "s-" + uuid, NOW)));
    DeviceObservation same = sighting(first, "s-" + uuid, NOW.plusSeconds(1));
    DeviceObservation bare = sighting(first, null, NOW.plusSeconds(1));
    assertThat(devices.unexpected(List.of(same, bare))).isEmpty();
    assertThat(devices.unexpected(List.of(sighting(first, "another", NOW)))).containsExactly(uuid);
    assertThat(devices.unexpected(List.of(sighting(second, null, NOW)))).containsExactly(uuid);
    assertThat(devices.unexpected(List.of(sighting(first, null, NOW, uuid + "-b"))))
        .containsExactly(uuid + "-b");
    write(found.device().missed(NOW.plusSeconds(2)));
    assertThat(devices.unexpected(List.of(bare))).as("it was missing").containsExactly(uuid);
  }

  @Test
  void moveRelocatesTheDeviceAndStaysInItsHistory() {
    // Fails when a device in another node gets a new row, or its row retains the old node.
    Device.Update found = write(Device.found(sighting(first, null, NOW)));
    Device.Update missed = write(found.device().missed(NOW.plusSeconds(60)));
    assertThat(devices.called(uuid)).containsExactly(missed.device());
    Device.Update moved = write(missed.device().seen(sighting(second, "s-1", NOW.plusSeconds(90))));

    assertThat(devices.on(List.of(first.id()))).isEmpty();
    assertThat(devices.on(List.of(second.id()))).containsExactly(moved.device());
    assertThat(devices.history(uuid, null, 500).stream().map(c -> c.kind() + " " + c.text()))
        .containsExactly(
            "SERIAL is s-1",
            "MOVED from node node-1 to node node-2",
            "MISSING node node-1 is listed without it",
            "FOUND in node node-1");
    assertThat(devices.history(uuid, null, 1)).hasSize(1);
    assertThat(devices.history("none-such", null, 500)).isEmpty();
  }

  @Test
  void longHistoryIsReadByPageWithoutDuplicates() {
    // Fails when a page begins at a time instead of after the changes of that time that were read.
    List<DeviceChange> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      Instant at = NOW.plusSeconds(i / 5);
      all.add(new DeviceChange(uuid, at, DeviceChange.Kind.MOVED, "to node " + i, null));
    }
    devices.write(List.of(), all);

    List<String> read = new ArrayList<>();
    DeviceChange.Cursor from = null;
    for (int page = 0; page < 4; page++) {
      List<DeviceChange> found = devices.history(uuid, from, 2);
      found.forEach(change -> read.add(change.text()));
      from = DeviceChange.Cursor.behind(found, from);
    }

    assertThat(read).doesNotHaveDuplicates().hasSize(7);
    assertThat(read.subList(0, 2)).containsExactlyInAnyOrder("to node 5", "to node 6");
    assertThat(devices.history(uuid, from, 2)).isEmpty();
  }

  @Test
  void contradictionsAreFoundByDeviceAndTime() {
    // Fails when other changes, other devices or older contradictions are returned as well.
    DeviceChange noted =
        new DeviceChange(uuid, NOW, DeviceChange.Kind.CONTRADICTED, "by another", null);
    DeviceChange found = new DeviceChange(uuid, NOW, DeviceChange.Kind.FOUND, "there", null);
    devices.write(List.of(), List.of(noted, found));

    assertThat(devices.contradictions(List.of(uuid, "none-such"), NOW.minusSeconds(1)))
        .containsExactly(noted);
    assertThat(devices.contradictions(List.of(uuid), NOW)).isEmpty();
    assertThat(devices.contradictions(List.of("none-such"), NOW.minusSeconds(1))).isEmpty();
  }

  @Test
  void historyContainsIncidentsAndTheirQuarantines() {
    write(Device.found(sighting(first, null, NOW)));
    Incident incident = incident(uuid, NOW.plusSeconds(5));
    stores.health().write(incident);
    stores.health().write(incident(uuid + "-other", NOW.plusSeconds(5)));
    Quarantine quarantine =
        Quarantine.begun(
                new QuarantineId(stores.ids().next()),
                first.cluster(),
                first.id(),
                "XID 48",
                null,
                NOW.plusSeconds(6),
                NOW.plusSeconds(600))
            .withIncident(incident.id());
    stores.health().write(quarantine.released(NOW.plusSeconds(7), "ops: exchanged"));

    List<DeviceChange> history = devices.history(uuid, null, 500);
    assertThat(history.stream().map(c -> c.kind() + " " + c.text()))
        .containsExactly(
            "RELEASED node node-1: ops: exchanged",
            "QUARANTINED node node-1",
            "INCIDENT XID 48 (double-bit ECC) in node node-1",
            "FOUND in node node-1");
    assertThat(history.getFirst().incident()).isEqualTo(incident.id());
    assertThat(history.getLast().incident()).isNull();
  }

  private Device.Update write(Device.Update fold) {
    devices.write(List.of(fold.device()), fold.changes());
    return fold;
  }

  private DeviceObservation sighting(Node node, @Nullable String serial, Instant at) {
    return sighting(node, serial, at, uuid);
  }

  private static DeviceObservation sighting(
      Node node, @Nullable String serial, Instant at, String device) {
    return new DeviceObservation(
        device, serial, node.cluster(), node.id(), node.name(), DeviceSource.INVENTORY, at);
  }

  private Incident incident(String gpu, Instant at) {
    return new Incident(
        new IncidentId(stores.ids().next()),
        first.cluster(),
        first.id(),
        first.name(),
        gpu,
        null,
        48,
        "XID 48 (double-bit ECC)",
        FaultScope.GPU,
        RepairStep.RESET_GPU,
        at,
        at,
        1,
        "node quarantined",
        null);
  }
}
