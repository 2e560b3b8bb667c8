package dev.fairlead.care.health.service;

import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads devices and their histories. */
@Service
public class Devices {
  private final DeviceStore devices;
  private final InventoryStore inventory;

  public Devices(DeviceStore devices, InventoryStore inventory) {
    this.devices = devices;
    this.inventory = inventory;
  }

  /** State of a device. */
  public enum Presence {
    /** The device is in its node, by the last report. */
    PRESENT,
    /** The node is listed without the device. Its location and health are unknown. */
    UNKNOWN
  }

  /**
   * A GPU, independent of its node.
   *
   * @param serial serial number, null until a monitor reports it
   * @param cluster name of the cluster of the last report, or its id after its removal
   * @param node name of the node of the last report
   * @param source source of the last report
   * @param missingSince time when its node was first listed without it, null otherwise
   */
  @RecordBuilder
  @Schema(name = "KnownGpuResponse")
  public record View(
      String uuid,
      @Nullable String serial,
      String cluster,
      String node,
      Presence state,
      DeviceSource source,
      Instant firstSeen,
      Instant lastSeen,
      @Nullable Instant missingSince) {
    private static View of(Device device, String cluster) {
      return DevicesViewBuilder.builder()
          .uuid(device.uuid())
          .serial(device.serial())
          .cluster(cluster)
          .node(device.nodeName())
          .state(device.missingSince() == null ? Presence.PRESENT : Presence.UNKNOWN)
          .source(device.source())
          .firstSeen(device.firstSeen())
          .lastSeen(device.lastSeen())
          .missingSince(device.missingSince())
          .build();
    }
  }

  /**
   * Returns a device. If several devices have the serial number, returns the most recently seen
   * device.
   *
   * @param called UUID or serial number
   * @throws Refusal NOT_FOUND
   */
  public View one(String called) {
    Device device =
        devices.called(called).stream()
            .findFirst()
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.NOT_FOUND,
                    "No GPU with UUID or serial number " + called + " was ever reported."));
    return View.of(device, inventory.nameOf(device.cluster()).orElse(device.cluster().text()));
  }

  /**
   * Lists the changes of a device, newest first.
   *
   * @param called UUID or serial number
   * @param from position at which the list continues, null for the newest
   * @param limit maximum of changes, 1 or more
   * @throws Refusal NOT_FOUND
   */
  public List<DeviceChange> history(String called, DeviceChange.@Nullable Cursor from, int limit) {
    return devices.history(one(called).uuid(), from, limit);
  }
}
