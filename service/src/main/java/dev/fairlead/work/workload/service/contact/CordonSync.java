package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies Fairlead's cordons to the cluster, so that other schedulers do not use these nodes
 * either, and removes them after they are lifted. Without the right on the cluster, a cordon
 * applies only to Fairlead.
 */
final class CordonSync {
  private static final Logger LOG = LoggerFactory.getLogger(CordonSync.class);
  private static final long SOON_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long LATER_NANOS = Duration.ofMinutes(5).toNanos();
  private static final int MOST = 50;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private final MonotonicClock clock;
  private final Map<NodeId, Long> notBefore = new TreeMap<>();
  private long strayNotBefore;

  CordonSync(InventoryStore inventory, Transactions transactions, MonotonicClock clock) {
    this.inventory = inventory;
    this.transactions = transactions;
    this.clock = clock;
    this.strayNotBefore = clock.nanos();
  }

  /** Handles a bounded number of nodes in each pass. A failed node is tried again. */
  void carry(
      HeldLease lease,
      ClusterGateway gateway,
      List<CordonedNode> cordons,
      Map<String, NodeReport> nodes) {
    cordons.stream()
        .filter(node -> due(node, nodes.get(node.name())))
        .limit(MOST)
        .forEach(node -> {
          boolean out = node.cordon() == Cordon.ORDERED;
          ActionOutcome outcome = gateway.keepOut(node.name(), out);
          long wait = outcome instanceof ActionOutcome.Refused ? LATER_NANOS : SOON_NANOS;
          notBefore.put(node.id(), clock.nanos() + wait);
          if (outcome instanceof ActionOutcome.Refused refused) {
            LOG.info("node {} is cordoned only in Fairlead: {}", node.name(), refused.message());
          }
          if (!out && !(outcome instanceof ActionOutcome.Unavailable)) {
            transactions.runFenced(lease, () -> inventory.order(node.id(), NodeOrder.SETTLE));
            notBefore.remove(node.id());
          }
        });
    if (clock.nanos() - strayNotBefore >= 0) {
      stray(cordons, nodes).forEach(name -> takeAway(name, gateway));
    }
  }

  private void takeAway(String stray, ClusterGateway gateway) {
    if (gateway.keepOut(stray, false) instanceof ActionOutcome.Refused refused) {
      LOG.warn("Fairlead's cordon remains on node {}: {}", stray, refused.message());
      strayNotBefore = clock.nanos() + LATER_NANOS;
    }
  }

  /**
   * Nodes with a cordon of Fairlead that no order requests: the call took effect late, after the
   * node had been uncordoned.
   */
  private static List<String> stray(List<CordonedNode> cordons, Map<String, NodeReport> nodes) {
    Set<String> known = new TreeSet<>();
    cordons.forEach(node -> known.add(node.name()));
    return nodes.values().stream()
        .filter(NodeReport::ourCordon)
        .map(NodeReport::name)
        .filter(name -> !known.contains(name))
        .limit(MOST)
        .toList();
  }

  private boolean due(CordonedNode node, @Nullable NodeReport shown) {
    boolean cordoned = node.cordon() == Cordon.ORDERED && (shown == null || shown.cordoned());
    Long wait = notBefore.get(node.id());
    boolean early = node.cordon() == Cordon.ORDERED && wait != null && clock.nanos() - wait < 0;
    return !cordoned && !early;
  }
}
