package dev.fairlead.care.health.device;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Stores devices and their changes. Devices belong to the fleet, not to a tenant. */
public interface DeviceStore {
  /**
   * Locks devices until the open transaction ends, because monitors of two clusters may report the
   * same device. The lock must be the last one of its transaction.
   */
  void enter();

  /** Returns the devices with this UUID or serial number, the last seen first. */
  List<Device> called(String uuidOrSerial);

  List<Device> withUuids(Collection<String> uuids);

  /**
   * Returns the UUIDs of observed devices with a new location or serial number. Observations that
   * change only a time are omitted.
   */
  Set<String> unexpected(Collection<DeviceObservation> sightings);

  /** Returns the devices that were last seen on these nodes, including missing ones. */
  List<Device> on(Collection<NodeId> nodes);

  /** Writes devices and appends their changes. */
  void write(Collection<Device> devices, List<DeviceChange> changes);

  /** Returns the contradictions of these devices that were recorded after this time. */
  List<DeviceChange> contradictions(Collection<String> uuids, Instant after);

  /**
   * Returns the history of a device, newest first: its changes, and its incidents with their
   * quarantines.
   *
   * @param from position to continue from, null for the newest
   * @param limit maximum number, 1 or more
   */
  List<DeviceChange> history(String uuid, DeviceChange.@Nullable Cursor from, int limit);
}
