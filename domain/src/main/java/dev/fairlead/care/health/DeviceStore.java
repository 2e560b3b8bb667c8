package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Devices and what happened to them. They belong to the fleet, not to a tenant. */
public interface DeviceStore {
  /**
   * Until the open transaction ends, no other one writes devices: monitors of two clusters may name
   * the same one. The last lock of its transaction.
   */
  void enter();

  /** Those of this UUID or serial number, the one that was seen last first. */
  List<Device> called(String uuidOrSerial);

  List<Device> withUuids(Collection<String> uuids);

  /**
   * UUIDs of the devices that were not known to be where they are seen, or not with that serial
   * number; sightings that change nothing but a time are left out.
   */
  Set<String> unexpected(Collection<DeviceObservation> sightings);

  /** Those that were seen there last, missing ones included. */
  List<Device> on(Collection<NodeId> nodes);

  /** Writes devices and appends what changed of them. */
  void write(Collection<Device> devices, List<DeviceChange> changes);

  /** Contradictions of these devices that were noted after the moment. */
  List<DeviceChange> contradictions(Collection<String> uuids, Instant after);

  /**
   * The life of a device, newest first: its changes, and its incidents with their quarantines.
   *
   * @param from where it goes on, null for the newest
   * @param limit at most so many, 1 or more
   */
  List<DeviceChange> history(String uuid, DeviceChange.@Nullable Mark from, int limit);
}
