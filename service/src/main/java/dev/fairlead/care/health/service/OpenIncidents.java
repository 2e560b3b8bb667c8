package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Open incidents of the nodes of one request, at most one per device. */
final class OpenIncidents {
  /** Maximum number of incidents per node for devices that its cluster does not report. */
  static final int STRANGERS = 16;

  private final Map<NodeId, List<Incident>> open = new HashMap<>();
  private final Map<IncidentId, Incident> changed = new TreeMap<>();

  OpenIncidents(List<Incident> found) {
    found.forEach(i -> open.computeIfAbsent(i.node(), n -> new ArrayList<>()).add(i));
  }

  boolean has(NodeId node) {
    return open.containsKey(node);
  }

  /**
   * Returns the device of the incident that an event of this device belongs to, null for the
   * incident of the machine. The limit prevents a sender from opening an incident for each invented
   * device name.
   */
  @Nullable String device(Node node, @Nullable String gpu) {
    if (gpu == null || reported(node, gpu) || of(node, gpu) != null) {
      return gpu;
    }
    long strangers =
        open.getOrDefault(node.id(), List.of()).stream()
            .map(Incident::gpu)
            .filter(device -> device != null && !reported(node, device))
            .count();
    return strangers < STRANGERS ? gpu : null;
  }

  private static boolean reported(Node node, String gpu) {
    return node.gpus().stream().anyMatch(g -> g.serial().equals(gpu));
  }

  /**
   * Returns the incident of the device, or of the machine if the device is null. Returns null if
   * none.
   */
  @Nullable Incident of(Node node, @Nullable String gpu) {
    return open.getOrDefault(node.id(), List.of()).stream()
        .filter(i -> Objects.equals(i.gpu(), gpu))
        .findFirst()
        .orElse(null);
  }

  /** Replaces the incident. */
  void put(Incident incident) {
    List<Incident> ofNode = open.computeIfAbsent(incident.node(), n -> new ArrayList<>());
    ofNode.removeIf(i -> i.id().equals(incident.id()));
    ofNode.add(incident);
    changed.put(incident.id(), incident);
  }

  /** Returns the incidents that differ from their stored state. */
  Collection<Incident> changed() {
    return changed.values();
  }
}
