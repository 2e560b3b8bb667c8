package dev.fairlead.care.health.service;

import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
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

  /**
   * A device for the API.
   *
   * @param cluster name of its cluster, or the id if the cluster was deleted
   */
  public record View(Device device, String cluster) {}

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
    return new View(device, inventory.nameOf(device.cluster()).orElse(device.cluster().text()));
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
    return devices.history(one(called).device().uuid(), from, limit);
  }
}
