package dev.fairlead.care.health.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Contradicting reports of sources about a device, and the decision between them. */
class DeviceTest {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");
  private final Device known = Device.found(seen("a", DeviceSource.INVENTORY, 0, null)).device();

  private static DeviceObservation seen(
      String node, DeviceSource source, long seconds, @Nullable String serial) {
    return new DeviceObservation(
        "GPU-1",
        serial,
        new ClusterId(new UUID(0, 1)),
        new NodeId(UUID.nameUUIDFromBytes(node.getBytes(java.nio.charset.StandardCharsets.UTF_8))),
        node,
        source,
        NOW.plusSeconds(seconds));
  }

  private static DeviceObservation elsewhere(long seconds) {
    DeviceObservation there = seen("b", DeviceSource.INVENTORY, seconds, null);
    return new DeviceObservation(
        there.uuid(),
        null,
        new ClusterId(new UUID(0, 2)),
        there.node(),
        there.nodeName(),
        there.source(),
        there.at());
  }

  private static String text(Device.Update fold) {
    return fold.device().nodeName()
        + (fold.device().missingSince() == null ? "" : " missing")
        + " "
        + fold.changes().stream().map(c -> c.kind().name()).toList();
  }

  private static DeviceChange contradiction(long seconds) {
    return new DeviceChange(
        "GPU-1",
        NOW.plusSeconds(seconds),
        DeviceChange.Kind.CONTRADICTED,
        "cluster b" + DeviceChange.TOO,
        null);
  }

  /** Fails when a recorded contradiction is ignored permanently. */
  @Test
  void contradictionIsReportedForADay() {
    long day = DeviceChange.NOTED.toSeconds();
    assertThat(contradiction(day - 1).repeats(contradiction(0))).isTrue();
    assertThat(contradiction(day).repeats(contradiction(0))).isFalse();
  }

  @Test
  void deviceSeenInAnotherNodeHasMoved() {
    assertThat(text(known.seen(seen("b", DeviceSource.INVENTORY, 600, null))))
        .isEqualTo("b [MOVED]");
    Device missing = known.missed(NOW.plusSeconds(1)).device();
    assertThat(text(missing.seen(seen("b", DeviceSource.INVENTORY, 2, null))))
        .as("missing there")
        .isEqualTo("b [MOVED]");
  }

  /** Fails when a UUID that two machines have moves with each of their inventories. */
  @Test
  void deviceThatTwoNodesListRemainsInTheFirst() {
    Device.Update claimed = known.seen(seen("b", DeviceSource.INVENTORY, 599, null));
    assertThat(claimed.device()).isEqualTo(known);
    assertThat(text(claimed)).isEqualTo("a [CONTRADICTED]");
    assertThat(claimed.changes().getFirst().text())
        .contains("its cluster reports", "in node b.", "to node a, which");
    assertThat(text(known.seen(seen("b", DeviceSource.INVENTORY, -1, null)))).isEqualTo("a []");
  }

  /** Fails when the monitor of one cluster moves the devices of another. */
  @Test
  void anotherClusterMovesNoDeviceThatItsClusterStillReports() {
    Device.Update claimed = known.seen(elsewhere(60));
    assertThat(claimed.device()).isEqualTo(known);
    assertThat(text(claimed)).isEqualTo("a [CONTRADICTED]");
    assertThat(claimed.changes().getFirst().text()).contains("in node b.", "assigned to node a of");
    assertThat(text(known.seen(elsewhere(-1)))).as("late").isEqualTo("a []");
    assertThat(text(known.seen(elsewhere(3600)))).as("after an hour").isEqualTo("b [MOVED]");
    Device missing = known.missed(NOW.plusSeconds(1)).device();
    assertThat(text(missing.seen(elsewhere(60)))).as("missing there").isEqualTo("b [MOVED]");
  }

  @Test
  void olderReportMovesNoDeviceBack() {
    // Fails when a late report counts: the device would move back to its earlier node.
    assertThat(text(known.seen(seen("b", DeviceSource.INVENTORY, -1, null)))).isEqualTo("a []");
    assertThat(text(known.missed(NOW.minusSeconds(1)))).isEqualTo("a []");
  }

  @Test
  void recentInventoryOverridesAContradictingEvent() {
    // Fails when a monitor with the wrong machine name moves devices.
    assertThat(text(known.seen(seen("b", DeviceSource.EVENT, 599, null)))).isEqualTo("a []");
    assertThat(text(known.seen(seen("b", DeviceSource.EVENT, 600, null)))).isEqualTo("b [MOVED]");
    Device agreed = known.seen(seen("a", DeviceSource.EVENT, 500, null)).device();
    assertThat(agreed.source()).isEqualTo(DeviceSource.INVENTORY);
    assertThat(agreed.lastSeen()).isEqualTo(NOW.plusSeconds(500));
  }

  @Test
  void unlistedDeviceIsUnknownUntilItIsSeen() {
    // Fails when a missing device counts as present.
    Device missing = known.missed(NOW.plusSeconds(60)).device();
    assertThat(missing.missingSince()).isEqualTo(NOW.plusSeconds(60));
    assertThat(text(missing.missed(NOW.plusSeconds(90)))).isEqualTo("a missing []");
    assertThat(text(missing.seen(seen("a", DeviceSource.INVENTORY, 30, null))))
        .as("a list from before it was missing")
        .isEqualTo("a missing []");
    assertThat(text(missing.seen(seen("a", DeviceSource.INVENTORY, 99, null))))
        .isEqualTo("a [BACK]");
  }

  @Test
  void serialNumberSurvivesASourceThatDoesNotKnowIt() {
    Device.Update numbered = known.seen(seen("a", DeviceSource.EVENT, 1, "s-1"));
    assertThat(text(numbered)).isEqualTo("a [SERIAL]");
    assertThat(numbered.device().seen(seen("a", DeviceSource.EVENT, 2, null)).device().serial())
        .isEqualTo("s-1");
  }

  /** Fails when a fault with the serial number of another board renames a listed device. */
  @Test
  void eventDoesNotReplaceTheSerialNumberOfARecentInventory() {
    Device listed = known.seen(seen("a", DeviceSource.INVENTORY, 1, "s-1")).device();
    assertThat(text(listed.seen(seen("a", DeviceSource.EVENT, 2, "s-2")))).isEqualTo("a []");
    assertThat(text(listed.seen(seen("a", DeviceSource.INVENTORY, 3, "s-2"))))
        .isEqualTo("a [SERIAL]");
    assertThat(text(listed.seen(seen("a", DeviceSource.EVENT, 601, "s-2"))))
        .isEqualTo("a [SERIAL]");
  }
}
