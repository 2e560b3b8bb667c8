package dev.fairlead.care.health.device;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All devices of a machine, listed by a monitor of its cluster.
 *
 * @param node name of the machine
 * @param at time according to the sender's clock
 */
public record NodeDevices(String node, Instant at, List<Listed> gpus) {
  /**
   * One device.
   *
   * @param uuid UUID of the device, also if the sender names a part of it
   * @param serial null if the sender does not know it
   */
  public record Listed(String uuid, @Nullable String serial) {
    public Listed {
      uuid = DeviceUuid.physical(uuid);
    }
  }

  public NodeDevices {
    gpus = List.copyOf(gpus);
  }
}
