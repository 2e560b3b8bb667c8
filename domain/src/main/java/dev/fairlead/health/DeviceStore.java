package dev.fairlead.health;

import dev.fairlead.cluster.NodeId;
import java.util.Collection;
import java.util.List;

/** Devices and what happened to them. They belong to the fleet, not to a tenant. */
public interface DeviceStore {
  /** Those of this UUID or serial number, the one that was seen last first. */
  List<Device> called(String uuidOrSerial);

  List<Device> withUuids(Collection<String> uuids);

  /** Those that were seen there last, missing ones included. */
  List<Device> on(NodeId node);

  /** Writes devices and appends what changed of them. */
  void write(Collection<Device> devices, List<DeviceChange> changes);

  /**
   * The life of a device, newest first: its changes, and its incidents with their quarantines.
   *
   * @param limit at most so many, 1 to 500
   */
  List<DeviceChange> history(String uuid, int limit);
}
