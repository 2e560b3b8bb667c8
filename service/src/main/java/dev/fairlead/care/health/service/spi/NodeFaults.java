package dev.fairlead.care.health.service.spi;

import dev.fairlead.care.health.Recovery;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Takes in what conditions of nodes say of their machines, in the caller's transaction. */
public interface NodeFaults {
  /**
   * A condition that says that a machine is sick.
   *
   * @param node name of the machine
   */
  record NodeFault(String node, NodeCondition condition) {
    /** The same as long as the condition stays. */
    public String id() {
      return "condition/" + node + "/" + condition.type() + "/" + condition.since();
    }
  }

  /** Names of nodes with an open incident that is over with its conditions. */
  Set<String> open(ClusterId cluster);

  /** Stores and judges them; those that need not be asked for again before a time. */
  Map<NodeFault, Instant> take(ClusterId cluster, List<NodeFault> shown, Instant now);

  /**
   * Ends incidents of conditions that these nodes show no more for long enough ({@link Recovery}),
   * unless a fault of one outlives its condition. What an operator holds stays.
   *
   * @param well since when each node shows none, by name
   * @return those that are not over yet, and when to ask again
   */
  Map<String, Instant> clear(ClusterId cluster, Map<String, Instant> well, Instant now);
}
