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

/** Open incidents of the nodes of one request, one for each device. */
final class OpenIncidents {
  /** So many devices that its cluster does not report have incidents of their own on one node. */
  static final int STRANGERS = 16;

  private final Map<NodeId, List<Incident>> open = new HashMap<>();
  private final Map<IncidentId, Incident> changed = new TreeMap<>();

  OpenIncidents(List<Incident> found) {
    found.forEach(i -> open.computeIfAbsent(i.node(), n -> new ArrayList<>()).add(i));
  }

  /** Whether the node has any. */
  boolean has(NodeId node) {
    return open.containsKey(node);
  }

  /**
   * The device whose incident an event of this device belongs to, null for that of the machine:
   * names of devices that a sender makes up open no incident each.
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

  /** That of the device, or with null of the machine; null for none. */
  @Nullable Incident of(Node node, @Nullable String gpu) {
    return open.getOrDefault(node.id(), List.of()).stream()
        .filter(i -> Objects.equals(i.gpu(), gpu))
        .findFirst()
        .orElse(null);
  }

  /** It is this from now on. */
  void put(Incident incident) {
    List<Incident> ofNode = open.computeIfAbsent(incident.node(), n -> new ArrayList<>());
    ofNode.removeIf(i -> i.id().equals(incident.id()));
    ofNode.add(incident);
    changed.put(incident.id(), incident);
  }

  /** Those that are not stored as they are. */
  Collection<Incident> changed() {
    return changed.values();
  }
}
