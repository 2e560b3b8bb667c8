package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.Recovery;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Records node conditions as faults of machines, in the caller's transaction. */
public interface NodeFaults {
  /**
   * A condition that reports a machine as faulty.
   *
   * @param node name of the machine
   */
  record NodeFault(String node, NodeCondition condition) {
    /** Returns an id that stays the same until the condition clears. */
    public String id() {
      return "condition/" + node + "/" + condition.type() + "/" + condition.since();
    }
  }

  /** Returns the names of nodes with an open incident that ends with its conditions. */
  Set<String> open(ClusterId cluster);

  /**
   * Stores and judges conditions. Returns the conditions that the caller need not repeat, with the
   * time until which this holds.
   */
  Map<NodeFault, Instant> take(ClusterId cluster, List<NodeFault> shown, Instant now);

  /**
   * Ends incidents of conditions that these nodes have not reported for long enough ({@link
   * Recovery}), unless a fault outlives its condition. Quarantines that an operator holds remain.
   *
   * @param well time since which each node has reported no condition, by name
   * @return nodes with an incident that has not ended yet, with the time of the next check
   */
  Map<String, Instant> clear(ClusterId cluster, Map<String, Instant> well, Instant now);
}
