package dev.fairlead.health.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.FleetNames;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.Node;
import dev.fairlead.health.Device;
import dev.fairlead.health.DeviceChange;
import dev.fairlead.health.DeviceSource;
import dev.fairlead.health.DeviceStore;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.NodeDevices;
import dev.fairlead.health.Sighting;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/** Keeps where each device is, by what monitors list and by the faults that name one. */
@Service
public class DeviceIntake {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final DeviceStore devices;
  private final InstantSource clock;

  public DeviceIntake(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      DeviceStore devices,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.devices = devices;
    this.clock = clock;
  }

  /**
   * Takes lists of the devices of machines; a device that was there and is not listed any more is
   * missing.
   *
   * @param text id or name of the cluster
   * @return names of machines whose list was left aside, since the cluster has none such or the
   *     list is from the future
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<String> take(Actor actor, String text, List<NodeDevices> lists) {
    Permissions.require(actor, "reportHealthEvents");
    return transactions.forAllTenants(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      health.enter(cluster.id());
      Map<String, Node> nodes = new HashMap<>();
      Set<String> names = lists.stream().map(NodeDevices::node).collect(Collectors.toSet());
      inventory.named(cluster.id(), names).forEach(n -> nodes.put(n.name(), n));
      Instant latest = clock.instant().plus(HealthIntake.AHEAD);
      List<String> aside = new ArrayList<>();
      for (NodeDevices list : lists) {
        Node node = nodes.get(list.node());
        if (node == null || list.at().isAfter(latest)) {
          aside.add(list.node());
        } else {
          listed(node, list);
        }
      }
      return aside;
    });
  }

  private void listed(Node node, NodeDevices list) {
    List<Sighting> seen =
        list.gpus().stream()
            .map(gpu -> sighting(node, gpu, DeviceSource.INVENTORY, list.at()))
            .toList();
    Set<String> uuids = seen.stream().map(Sighting::uuid).collect(Collectors.toSet());
    List<Device.Fold> missing =
        devices.on(node.id()).stream()
            .filter(device -> !uuids.contains(device.uuid()))
            .map(device -> device.missed(list.at()))
            .toList();
    write(seen, missing);
  }

  static Sighting sighting(Node node, NodeDevices.Listed gpu, DeviceSource source, Instant at) {
    return new Sighting(
        gpu.uuid(), gpu.serial(), node.cluster(), node.id(), node.name(), source, at);
  }

  /** Whether one of the devices is new, was elsewhere until now, or changes in another way. */
  boolean finds(List<Sighting> sightings) {
    Map<String, Device> known = new HashMap<>();
    devices
        .withUuids(sightings.stream().map(Sighting::uuid).distinct().toList())
        .forEach(device -> known.put(device.uuid(), device));
    return sightings.stream()
        .anyMatch(s -> {
          Device device = known.get(s.uuid());
          return device == null || !device.seen(s).changes().isEmpty();
        });
  }

  /** In the caller's transaction. */
  void seen(List<Sighting> sightings) {
    write(sightings, List.of());
  }

  private void write(List<Sighting> sightings, List<Device.Fold> missing) {
    SortedMap<String, Device> after = new TreeMap<>();
    List<DeviceChange> changes = new ArrayList<>();
    for (Device.Fold fold : missing) {
      after.put(fold.device().uuid(), fold.device());
      changes.addAll(fold.changes());
    }
    devices
        .withUuids(sightings.stream().map(Sighting::uuid).toList())
        .forEach(device -> after.put(device.uuid(), device));
    for (Sighting sighting : sightings) {
      Device known = after.get(sighting.uuid());
      Device.Fold fold = known == null ? Device.found(sighting) : known.seen(sighting);
      after.put(sighting.uuid(), fold.device());
      changes.addAll(fold.changes());
    }
    if (!after.isEmpty()) {
      devices.write(after.values(), changes);
    }
  }
}
