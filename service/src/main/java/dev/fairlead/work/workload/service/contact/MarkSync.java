package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings.NodeMarking;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeMarks;
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
 * Shows pools and quarantines on the nodes of a cluster as its setting says, and takes away what is
 * no longer so. Where the cluster does not let us, they hold here alone.
 */
final class MarkSync {
  private static final Logger LOG = LoggerFactory.getLogger(MarkSync.class);
  private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();

  /** After a refusal: of all nodes, since a missing right is one for all, and of this one. */
  private static final long REFUSED_NANOS = Duration.ofSeconds(30).toNanos();

  private static final long LATER_NANOS = Duration.ofMinutes(5).toNanos();

  /** Nodes of a turn: each is two calls, for which the attempts of the cluster wait. */
  static final int MOST = 20;

  /** After which a turn begins no more of them: a slow cluster holds its attempts up no longer. */
  private static final long TURN_NANOS = Duration.ofSeconds(2).toNanos();

  private final ClusterId id;
  private final ClosedPlaces places;
  private final MonotonicClock clock;
  private final Map<String, Long> notBefore = new TreeMap<>();
  private long look;
  private boolean refused;

  MarkSync(ClusterId id, ClosedPlaces places, MonotonicClock clock) {
    this.id = id;
    this.places = places;
    this.clock = clock;
    this.look = clock.nanos();
  }

  /**
   * A bounded number of nodes at a turn; those that cannot be marked now are tried again.
   *
   * @param nodes as the cluster shows them, by name
   */
  void carry(ClusterGateway gateway, Map<String, NodeReport> nodes) {
    if (clock.nanos() - look < 0) {
      return;
    }
    look = clock.nanos() + LOOK_NANOS;
    SortedMap<String, NodeMarks> due = NodeMarks.due(wanted(), nodes.values());
    notBefore.keySet().retainAll(due.keySet());
    long end = clock.nanos() + TURN_NANOS;
    for (String node : inOrder(due.keySet())) {
      boolean goesOn = marked(gateway, node, Objects.requireNonNull(due.get(node)));
      if (!goesOn || clock.nanos() - end >= 0) {
        return;
      }
    }
  }

  /**
   * Those of a turn: first the ones that were not tried since they are due, then by the time from
   * which they may be, so that nodes that take no mark keep none of the others from theirs.
   */
  private List<String> inOrder(Set<String> due) {
    long now = clock.nanos();
    return due.stream()
        .filter(node -> until(node, now) <= 0)
        .sorted(Comparator.comparingLong(node -> until(node, now)))
        .limit(MOST)
        .toList();
  }

  /** Nanoseconds until the node may be tried; negative since then. */
  private long until(String node, long now) {
    Long wait = notBefore.get(node);
    return wait == null ? Long.MIN_VALUE : wait - now;
  }

  /** False when the cluster is not to be asked any more in this turn. */
  private boolean marked(ClusterGateway gateway, String node, NodeMarks wanted) {
    switch (gateway.mark(node, wanted)) {
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
          LOG.warn("pools and quarantines of nodes hold here alone: {}", not.message());
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

  /** By the name of the node. */
  private SortedMap<String, NodeMarks> wanted() {
    NodeMarking setting = places.cluster(id).map(MarkSync::setting).orElse(NodeMarking.NEVER);
    if (setting == NodeMarking.NEVER) {
      return Collections.emptySortedMap();
    }
    SortedMap<NodeId, String> causes =
        setting == NodeMarking.POOL_AND_QUARANTINE
            ? places.causes(id)
            : Collections.emptySortedMap();
    SortedMap<String, NodeMarks> wanted = new TreeMap<>();
    for (Node node : places.nodes()) {
      if (node.cluster().equals(id)) {
        String pool = node.pool() == null ? null : node.pool().name();
        wanted.put(node.name(), new NodeMarks(pool, causes.get(node.id())));
      }
    }
    return wanted;
  }

  private static NodeMarking setting(Cluster cluster) {
    return cluster.settings().nodeMarks();
  }
}
