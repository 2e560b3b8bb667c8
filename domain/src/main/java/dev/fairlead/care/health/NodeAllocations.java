package dev.fairlead.care.health;

import java.time.Instant;
import java.util.List;

/**
 * Devices that the pods of a machine hold, as its node agent read them.
 *
 * @param node name of the machine
 * @param at time according to the sender's clock
 */
public record NodeAllocations(String node, Instant at, List<PodDevices> pods) {
  /**
   * Devices of one pod.
   *
   * @param uid UID of the pod
   * @param ids ids of its devices, as their plugin names them
   */
  public record PodDevices(String uid, List<String> ids) {
    public PodDevices {
      ids = List.copyOf(ids);
    }
  }

  public NodeAllocations {
    pods = List.copyOf(pods);
  }
}
