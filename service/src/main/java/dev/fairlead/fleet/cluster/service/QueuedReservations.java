package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.SpareNodes;
import dev.fairlead.fleet.node.CapacityReservations;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reserved part of the free capacity: for jobs that wait for their place, and as spares of pools.
 */
final class QueuedReservations {
  private final Map<NodeId, SortedMap<Integer, Integer>> places = new TreeMap<>();
  private final Set<NodeId> spares = new TreeSet<>();

  static QueuedReservations of(
      FleetSource.Fleet fleet, Collection<CapacityReservations.Kept> kept) {
    QueuedReservations room = new QueuedReservations();
    Set<NodeId> reserved = new TreeSet<>();
    for (CapacityReservations.Kept each : kept) {
      reserved.add(each.node());
      if (each.ordered()) {
        SortedMap<Integer, Integer> milli =
            room.places.computeIfAbsent(each.node(), node -> new TreeMap<>());
        each.milli().forEach((index, amount) -> milli.merge(index, amount, Integer::sum));
      }
    }
    SpareNodes.all(fleet.clusters(), fleet.nodes(), reserved::contains)
        .forEach(node -> room.spares.add(node.id()));
    return room;
  }

  boolean spare(Node node) {
    return spares.contains(node.id());
  }

  /** Returns the free milli-GPUs of the node that are reserved for a job. */
  long kept(Node node) {
    SortedMap<Integer, Integer> milli = places.get(node.id());
    long kept = 0;
    if (milli != null) {
      for (Gpu gpu : node.gpus()) {
        kept += Math.min(milli.getOrDefault(gpu.index(), 0), gpu.freeMilli());
      }
    }
    return kept;
  }
}
