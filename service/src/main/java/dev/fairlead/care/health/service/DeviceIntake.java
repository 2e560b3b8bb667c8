package dev.fairlead.care.health.service;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.toCollection;

import dev.fairlead.care.health.Reporter;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceChange;
import dev.fairlead.care.health.device.DeviceObservation;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Tracks the location of each device from inventories of monitors and from faults that name a
 * device.
 */
@Service
public class DeviceIntake {
  /**
   * Maximum number of devices that are stored as last seen in one machine, including missing ones.
   * This is more than four times the number in any machine. Devices that were not seen for a long
   * time are replaced by new ones.
   */
  static final int MOST = 256;

  private final Transactions transactions;
  private final InventoryStore inventory;
  private final DeviceStore devices;
  private final InstantSource clock;

  public DeviceIntake(
      Transactions transactions,
      InventoryStore inventory,
      DeviceStore devices,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.devices = devices;
    this.clock = clock;
  }

  /**
   * Stores inventories of machines. A device that the inventory no longer lists becomes missing.
   *
   * @param text id or name of the cluster
   * @return names of the machines with an inventory that was ignored in part or in full. An
   *     inventory is ignored in full if the cluster has no such machine, or if its time is in the
   *     future. Single devices are ignored if they are new and the machine has reached {@link
   *     #MOST}, or if another cluster or machine still reports them.
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  List<String> take(Actor actor, String text, List<NodeDevices> lists) {
    return applied(actor, text, lists, true).aside();
  }

  /** Returns the new machines of devices that the inventories would move, and stores nothing. */
  SortedMap<String, NodeId> moves(Actor actor, String text, List<NodeDevices> lists) {
    return applied(actor, text, lists, false).moved();
  }

  private record Applied(List<String> aside, SortedMap<String, NodeId> moved) {}

  private Applied applied(Actor actor, String text, List<NodeDevices> lists, boolean stores) {
    return transactions.forAllTenants(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      Reporter.require(actor, cluster);
      Map<String, Node> nodes = new HashMap<>();
      Set<String> names = lists.stream().map(NodeDevices::node).collect(Collectors.toSet());
      inventory.named(cluster.id(), names).forEach(n -> nodes.put(n.name(), n));
      Instant latest = clock.instant().plus(HealthIntake.AHEAD);
      List<NodeDevices> timely =
          lists.stream()
              .filter(list -> nodes.containsKey(list.node()) && !list.at().isAfter(latest))
              .toList();
      Seen seen = seen(timely, nodes);
      timely.forEach(list -> seen.missed(Objects.requireNonNull(nodes.get(list.node())), list));
      List<String> aside = new ArrayList<>();
      for (NodeDevices list : lists) {
        Node node = nodes.get(list.node());
        if (node == null || !timely.contains(list) || !seen.listed(node, list)) {
          aside.add(list.node());
        }
      }
      if (stores) {
        seen.write();
      }
      return new Applied(aside, seen.moved);
    });
  }

  /**
   * Reads the stored devices of the machines and the stored state of the listed devices, in two
   * queries.
   */
  private Seen seen(List<NodeDevices> lists, Map<String, Node> nodes) {
    return new Seen(
        lists.stream().map(list -> Objects.requireNonNull(nodes.get(list.node())).id()).toList(),
        lists.stream()
            .flatMap(list -> list.gpus().stream().map(NodeDevices.Listed::uuid))
            .toList());
  }

  static DeviceObservation sighting(
      Node node, NodeDevices.Listed gpu, DeviceSource source, Instant at) {
    return new DeviceObservation(
        gpu.uuid(), gpu.serial(), node.cluster(), node.id(), node.name(), source, at);
  }

  /** Returns whether any device is new, has moved or changes in another way. */
  boolean finds(List<DeviceObservation> all) {
    Set<String> unexpected = devices.unexpected(all);
    List<DeviceObservation> sightings =
        all.stream().filter(seen -> unexpected.contains(seen.uuid())).toList();
    if (sightings.isEmpty()) {
      return false; // most reports end here: the faulty device is where it was before
    }
    Map<String, Device> known = new HashMap<>();
    devices
        .withUuids(sightings.stream().map(DeviceObservation::uuid).distinct().toList())
        .forEach(device -> known.put(device.uuid(), device));
    List<DeviceChange> changes = new ArrayList<>();
    for (DeviceObservation sighting : sightings) {
      Device device = known.get(sighting.uuid());
      if (device == null) {
        return true;
      }
      changes.addAll(device.seen(sighting).changes());
    }
    return !withoutRepeats(changes).isEmpty();
  }

  /**
   * Removes contradictions that were recorded recently, because monitors repeat a contradiction
   * with each inventory.
   */
  private List<DeviceChange> withoutRepeats(List<DeviceChange> changes) {
    List<DeviceChange> contradictions = changes.stream().filter(DeviceChange::contradicts).toList();
    if (contradictions.isEmpty()) {
      return changes;
    }
    Instant first = Collections.min(contradictions, comparing(DeviceChange::at)).at();
    List<DeviceChange> noted =
        new ArrayList<>(
            devices.contradictions(
                contradictions.stream().map(DeviceChange::uuid).distinct().toList(),
                first.minus(DeviceChange.NOTED)));
    List<DeviceChange> left = new ArrayList<>();
    for (DeviceChange change : changes) {
      if (noted.stream().noneMatch(change::repeats)) {
        left.add(change);
        noted.add(change);
      }
    }
    return left;
  }

  /** Returns the new machines of devices that the observations would move, and stores nothing. */
  SortedMap<String, NodeId> moves(List<DeviceObservation> sightings) {
    return transactions.forAllTenants(() -> seen(sightings).moved);
  }

  /**
   * Stores the observations in a separate transaction. Devices that exceed the limit of their
   * machine are ignored.
   */
  void note(List<DeviceObservation> sightings) {
    transactions.forAllTenants(() -> {
      seen(sightings).write();
      return sightings;
    });
  }

  private Seen seen(List<DeviceObservation> sightings) {
    Seen seen =
        new Seen(
            sightings.stream().map(DeviceObservation::node).distinct().toList(),
            sightings.stream().map(DeviceObservation::uuid).distinct().toList());
    sightings.stream().filter(seen::hasRoom).forEach(seen::add);
    return seen;
  }

  /** Stored devices and their changes, which are written together. */
  private final class Seen {
    private final SortedMap<String, Device> known = new TreeMap<>();
    private final Map<NodeId, Set<String>> there = new HashMap<>();
    private final SortedMap<String, Device> after = new TreeMap<>();
    private final List<DeviceChange> changes = new ArrayList<>();
    private final SortedMap<String, NodeId> moved = new TreeMap<>();

    /** Nodes of devices that were removed or do not respond. Their lists are out of date. */
    private final Set<NodeId> silent;

    Seen(List<NodeId> nodes, List<String> uuids) {
      devices.enter();
      devices.on(nodes).forEach(this::know);
      List<Device> named = devices.withUuids(uuids);
      named.forEach(this::know);
      silent = silent(named, nodes);
    }

    private Set<NodeId> silent(List<Device> named, List<NodeId> reporting) {
      Set<NodeId> silent = named.stream().map(Device::node).collect(toCollection(TreeSet::new));
      reporting.forEach(silent::remove);
      if (!silent.isEmpty()) {
        inventory.inService(silent).stream()
            .filter(node -> node.state() != NodeState.UNREACHABLE)
            .map(Node::id)
            .forEach(silent::remove);
      }
      return silent;
    }

    private void know(Device device) {
      known.put(device.uuid(), device);
      there.computeIfAbsent(device.node(), id -> new TreeSet<>()).add(device.uuid());
    }

    /** Devices that the inventory of their machine lacks are missing. */
    void missed(Node node, NodeDevices list) {
      Set<String> uuids =
          list.gpus().stream().map(NodeDevices.Listed::uuid).collect(toCollection(TreeSet::new));
      List.copyOf(there.getOrDefault(node.id(), Set.of())).stream()
          .filter(uuid -> !uuids.contains(uuid))
          .map(uuid -> Objects.requireNonNull(known.get(uuid)).missed(list.at()))
          .forEach(this::fold);
    }

    /**
     * Applies the devices of the inventory of a machine, except for new devices above the limit of
     * the machine. Returns whether all devices were applied.
     */
    boolean listed(Node node, NodeDevices list) {
      boolean all = true;
      for (NodeDevices.Listed gpu : list.gpus()) {
        DeviceObservation sighting = sighting(node, gpu, DeviceSource.INVENTORY, list.at());
        all &= hasRoom(sighting) && !contradicts(sighting);
        if (hasRoom(sighting)) {
          add(sighting);
        }
      }
      return all;
    }

    /** The stored device. A silent node of the same cluster no longer lists it. */
    private @Nullable Device known(DeviceObservation sighting) {
      Device device = known.get(sighting.uuid());
      return device != null
              && device.cluster().equals(sighting.cluster())
              && silent.contains(device.node())
              && device.missingSince() == null
          ? device.withMissingSince(device.lastSeen())
          : device;
    }

    /** Returns whether the device is stored already, or its machine has room for another one. */
    boolean hasRoom(DeviceObservation sighting) {
      return known.containsKey(sighting.uuid())
          || there.getOrDefault(sighting.node(), Set.of()).size() < MOST;
    }

    private boolean contradicts(DeviceObservation sighting) {
      Device device = known(sighting);
      return device != null && device.disputed(sighting);
    }

    void add(DeviceObservation sighting) {
      Device device = known(sighting);
      Device.Update update = device == null ? Device.found(sighting) : device.seen(sighting);
      if (!update.device().equals(device) || !update.changes().isEmpty()) {
        fold(update);
      }
    }

    private void fold(Device.Update fold) {
      Device next = fold.device();
      Device before = known.get(next.uuid());
      if (before != null) {
        there.getOrDefault(before.node(), new TreeSet<>()).remove(next.uuid());
        if (!before.node().equals(next.node())) {
          moved.put(next.uuid(), next.node());
        }
      }
      know(next);
      if (!next.equals(before)) {
        after.put(next.uuid(), next);
      }
      changes.addAll(fold.changes());
    }

    void write() {
      List<DeviceChange> left = withoutRepeats(changes);
      if (!after.isEmpty() || !left.isEmpty()) {
        devices.write(after.values(), left);
      }
    }
  }
}
