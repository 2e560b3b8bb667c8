package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.fleet.node.NodeId;
import java.util.List;

/** Records which members hold the devices of a node. */
public interface DeviceHolders {
  /**
   * Stores the devices of the members among these pods, in the caller's transaction. Other pods are
   * ignored.
   *
   * @param reporter name of the monitor, for the events
   */
  void reported(NodeId node, List<PodDevices> pods, String reporter);
}
