package dev.fairlead.workload.service.contact;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterSettings.NodeMarking;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.node.Node;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodeMarks;
import dev.fairlead.node.NodeReport;
import dev.fairlead.workload.ActionOutcome;
import dev.fairlead.workload.ClusterGateway;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
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
    int left = MOST;
    for (Map.Entry<String, NodeMarks> node : due.entrySet()) {
      Long wait = notBefore.get(node.getKey());
      if (wait != null && clock.nanos() - wait < 0) {
        continue;
      }
      if (left-- == 0 || !marked(gateway, node.getKey(), node.getValue())) {
        return;
      }
    }
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
          LOG.warn("node {} does not show what it is to: {}", node, not.message());
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
