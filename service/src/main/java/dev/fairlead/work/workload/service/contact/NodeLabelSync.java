package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets labels and taints for pools and quarantines on the nodes of a cluster by its setting, and
 * removes outdated ones. Without the right on the cluster, pools and quarantines apply only inside
 * Fairlead.
 */
final class NodeLabelSync {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLabelSync.class);
  private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();

  /**
   * Pause after a refusal: for all nodes, because they share a missing right, and for this node.
   */
  private static final long REFUSED_NANOS = Duration.ofSeconds(30).toNanos();

  private static final long LATER_NANOS = Duration.ofMinutes(5).toNanos();

  /**
   * Maximum number of nodes in a pass. Each needs two calls, which delay the attempts of the
   * cluster.
   */
  static final int MOST = 20;

  /**
   * Time after which a pass starts no other node, so that a slow cluster does not delay its
   * attempts for longer.
   */
  private static final long TURN_NANOS = Duration.ofSeconds(2).toNanos();

  private final ClusterId id;
  private final ClosedPlaces places;
  private final MonotonicClock clock;
  private final Map<String, Long> notBefore = new TreeMap<>();
  private long look;
  private boolean refused;

  NodeLabelSync(ClusterId id, ClosedPlaces places, MonotonicClock clock) {
    this.id = id;
    this.places = places;
    this.clock = clock;
    this.look = clock.nanos();
  }

  /**
   * Handles a bounded number of nodes in each pass. A failed node is tried again.
   *
   * @param nodes as the cluster shows them, by name
   */
  void carry(ClusterGateway gateway, Map<String, NodeReport> nodes) {
    if (clock.nanos() - look < 0) {
      return;
    }
    look = clock.nanos() + LOOK_NANOS;
    SortedMap<String, NodeLabelsAndTaints> due =
        NodeLabelsAndTaints.due(wanted(taints(gateway)), nodes.values());
    notBefore.keySet().retainAll(due.keySet());
    long end = clock.nanos() + TURN_NANOS;
    for (String node : inOrder(due.keySet())) {
      boolean goesOn = labelled(gateway, node, Objects.requireNonNull(due.get(node)));
      if (!goesOn || clock.nanos() - end >= 0) {
        return;
      }
    }
  }

  /**
   * Order of a pass: first the nodes that were not tried since they are due, then by the time of
   * the next try, so that failing nodes do not delay others.
   */
  private List<String> inOrder(Set<String> due) {
    long now = clock.nanos();
    return due.stream()
        .filter(node -> until(node, now) <= 0)
        .sorted(Comparator.comparingLong(node -> until(node, now)))
        .limit(MOST)
        .toList();
  }

  /** Nanoseconds until the node may be tried, negative after that. */
  private long until(String node, long now) {
    Long wait = notBefore.get(node);
    return wait == null ? Long.MIN_VALUE : wait - now;
  }

  /** Returns false when the cluster must not be called again in this pass. */
  private boolean labelled(ClusterGateway gateway, String node, NodeLabelsAndTaints wanted) {
    switch (gateway.setLabelsAndTaints(node, wanted)) {
      case ActionOutcome.Done done -> {
        notBefore.put(node, clock.nanos() + LOOK_NANOS); // the watch shows it soon
        refused = false;
        return true;
      }
      case ActionOutcome.Refused not -> {
        notBefore.put(node, clock.nanos() + LATER_NANOS);
        if (not.why() == ActionOutcome.Why.NAME_TAKEN) {
          LOG.warn("node {} does not have the expected labels and taints: {}", node, not.message());
          return true;
        }
        look = clock.nanos() + REFUSED_NANOS;
        if (!refused) {
          LOG.warn("pools and quarantines of nodes apply only in Fairlead: {}", not.message());
        }
        refused = true;
        return false;
      }
      case ActionOutcome.Unavailable unavailable -> {
        notBefore.put(node, clock.nanos() + LOOK_NANOS); // others first, it may be for this node
        return false;
      }
      case ActionOutcome.Deposed deposed -> {
        return false;
      }
    }
  }

  /** Returns whether the cluster has taints of single GPUs. */
  private static boolean taints(ClusterGateway gateway) {
    return !gateway.capabilities().reasons().containsKey(Capabilities.DEVICE_TAINTS);
  }

  /**
   * Wanted labels and taints by the name of the node.
   *
   * @param ofGpus whether single GPUs can be tainted
   */
  private SortedMap<String, NodeLabelsAndTaints> wanted(boolean ofGpus) {
    NodeLabelPolicy setting =
        places.cluster(id).map(NodeLabelSync::setting).orElse(NodeLabelPolicy.NEVER);
    if (setting == NodeLabelPolicy.NEVER) {
      return Collections.emptySortedMap();
    }
    boolean quarantine = setting == NodeLabelPolicy.POOL_AND_QUARANTINE;
    SortedMap<NodeId, String> causes =
        quarantine ? places.causes(id) : Collections.emptySortedMap();
    SortedMap<NodeId, SortedMap<String, String>> gpus =
        quarantine && ofGpus ? places.gpuCauses(id) : Collections.emptySortedMap();
    SortedMap<String, NodeLabelsAndTaints> wanted = new TreeMap<>();
    for (Node node : places.nodes()) {
      if (node.cluster().equals(id)) {
        String pool = node.pool() == null ? null : node.pool().name();
        wanted.put(
            node.name(),
            new NodeLabelsAndTaints(
                pool,
                causes.get(node.id()),
                gpus.getOrDefault(node.id(), Collections.emptySortedMap())));
      }
    }
    return wanted;
  }

  private static NodeLabelPolicy setting(Cluster cluster) {
    return cluster.settings().nodeLabelsAndTaints();
  }
}
