package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.Feasibility;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The hardware of the fleet, regardless of its use, with the cached verdicts about job shapes.
 * Unchanged rows are the same objects, so most are compared by identity.
 */
@SuppressWarnings("ReferenceEquality")
final class BuiltFleet {
  private final Feasibility feasibility;
  private final SortedSet<String> models;
  private volatile FleetSource.Fleet seen;

  BuiltFleet(FleetSource.Fleet fleet) {
    seen = fleet;
    feasibility = new Feasibility(fleet.clusters(), fleet.nodes());
    models =
        fleet.nodes().stream()
            .map(Node::gpuModel)
            .filter(model -> !model.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns whether that fleet differs from this one at most in its use. */
  boolean describes(FleetSource.Fleet now) {
    FleetSource.Fleet before = seen;
    if (now == before) {
      return true;
    }
    boolean same = sameClusters(before.clusters(), now.clusters()) && sameNodes(before, now);
    if (same) {
      seen = now;
    }
    return same;
  }

  Optional<Blocker> neverFits(Job job) {
    return feasibility.neverFits(job);
  }

  /** Clusters with a backend that can start nothing, with the reason by their name. */
  SortedMap<String, String> stoppedBackends() {
    SortedMap<String, String> stopped = new TreeMap<>();
    for (Cluster cluster : seen.clusters()) {
      String trouble = cluster.backendTrouble();
      if (trouble != null) {
        stopped.put(cluster.name(), trouble);
      }
    }
    return stopped;
  }

  /** GPU models of its nodes. */
  SortedSet<String> models() {
    return Collections.unmodifiableSortedSet(models);
  }

  private static boolean sameNodes(FleetSource.Fleet before, FleetSource.Fleet now) {
    if (before.nodes() == now.nodes()) {
      return true;
    }
    if (before.nodes().size() != now.nodes().size()) {
      return false;
    }
    for (int i = 0; i < now.nodes().size(); i++) {
      Node then = before.nodes().get(i);
      Node node = now.nodes().get(i);
      if (then != node && !same(then, node)) {
        return false;
      }
    }
    return true;
  }

  private static boolean same(Node a, Node b) {
    return a.id().equals(b.id())
        && a.name().equals(b.name())
        && a.cluster().equals(b.cluster())
        && a.state() == b.state()
        && a.gpuModel().equals(b.gpuModel())
        && a.gpuMemoryMiB() == b.gpuMemoryMiB()
        && a.allocatable().equals(b.allocatable())
        && a.labels().equals(b.labels())
        && a.taints().equals(b.taints())
        && a.topology().equals(b.topology())
        && Objects.equals(a.pool(), b.pool())
        && states(a).equals(states(b));
  }

  private static List<?> states(Node node) {
    return node.gpus().stream().map(Gpu::state).toList();
  }

  private static boolean sameClusters(List<Cluster> before, List<Cluster> now) {
    return before.stream()
        .map(BuiltFleet::described)
        .toList()
        .equals(now.stream().map(BuiltFleet::described).toList());
  }

  /** The properties of a cluster that decide whether a job fits. */
  private static List<Object> described(Cluster cluster) {
    return List.of(
        cluster.id(),
        cluster.name(),
        cluster.state(),
        cluster.capacity(),
        cluster.settings(),
        cluster.capabilities());
  }
}
