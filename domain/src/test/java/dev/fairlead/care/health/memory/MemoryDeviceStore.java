package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link DeviceStore}. */
public final class MemoryDeviceStore implements DeviceStore {
  private final MemoryDatabase database;
  private final MemoryHealthStore health;
  private final MemoryTable<String, Device> devices;
  private final MemoryTable<Integer, DeviceChange> changes;

  public MemoryDeviceStore(MemoryDatabase database, MemoryHealthStore health) {
    this.database = database;
    this.health = health;
    this.devices = database.table();
    this.changes = database.table();
  }

  /** Transactions are sequential here. */
  @Override
  public void enter() {}

  @Override
  public List<Device> called(String uuidOrSerial) {
    return database.call(() ->
        devices.all().stream()
            .filter(d -> d.uuid().equals(uuidOrSerial) || uuidOrSerial.equals(d.serial()))
            .sorted(Comparator.comparing(Device::lastSeen).reversed().thenComparing(Device::uuid))
            .toList());
  }

  @Override
  public List<Device> withUuids(Collection<String> uuids) {
    return database.call(
        () -> devices.all().stream().filter(d -> uuids.contains(d.uuid())).toList());
  }

  @Override
  public Set<String> unexpected(Collection<DeviceObservation> sightings) {
    return database.call(() ->
        sightings.stream()
            .filter(seen ->
                devices
                    .find(seen.uuid())
                    .filter(known -> known.node().equals(seen.node()))
                    .filter(known -> known.missingSince() == null)
                    .filter(known -> seen.serial() == null || seen.serial().equals(known.serial()))
                    .isEmpty())
            .map(DeviceObservation::uuid)
            .collect(Collectors.toSet()));
  }

  @Override
  public List<Device> on(Collection<NodeId> nodes) {
    return database.call(
        () -> devices.all().stream().filter(d -> nodes.contains(d.node())).toList());
  }

  @Override
  public void write(Collection<Device> written, List<DeviceChange> changed) {
    database.run(() -> {
      written.forEach(d -> devices.put(d.uuid(), d));
      changed.forEach(c -> changes.put(changes.all().size(), c));
    });
  }

  @Override
  public List<DeviceChange> contradictions(Collection<String> uuids, Instant after) {
    return database.call(() ->
        changes.all().stream()
            .filter(c -> c.contradicts() && uuids.contains(c.uuid()) && c.at().isAfter(after))
            .toList());
  }

  @Override
  public List<DeviceChange> history(String uuid, DeviceChange.@Nullable Cursor from, int limit) {
    return database.call(() -> {
      List<DeviceChange> all = new ArrayList<>(changes.all());
      for (Incident incident : health.incidents(null, null, Integer.MAX_VALUE)) {
        if (incident.gpu() != null) {
          all.add(of(incident, incident.openedAt(), DeviceChange.Kind.INCIDENT, text(incident)));
          for (Quarantine quarantine : health.quarantinesOf(List.of(incident.id()))) {
            String node =
                (quarantine.ofNode() ? "" : "this GPU of ") + "node " + incident.nodeName();
            all.add(of(incident, quarantine.since(), DeviceChange.Kind.QUARANTINED, node));
            if (quarantine.releasedAt() != null) {
              all.add(
                  of(
                      incident,
                      quarantine.releasedAt(),
                      DeviceChange.Kind.RELEASED,
                      node + ": " + quarantine.released()));
            }
          }
        }
      }
      return all.stream()
          .filter(c -> c.uuid().equals(uuid))
          .filter(c -> from == null || !c.at().isAfter(from.at()))
          .sorted(
              Comparator.comparing(DeviceChange::at).thenComparing(DeviceChange::kind).reversed())
          .skip(from == null ? 0 : from.read())
          .limit(limit)
          .toList();
    });
  }

  private static String text(Incident incident) {
    return incident.cause() + " in node " + incident.nodeName();
  }

  private static DeviceChange of(
      Incident incident, Instant at, DeviceChange.Kind kind, String text) {
    return new DeviceChange(String.valueOf(incident.gpu()), at, kind, text, incident.id());
  }
}
