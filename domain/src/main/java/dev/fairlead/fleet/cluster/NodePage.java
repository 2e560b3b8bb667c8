package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of nodes, sorted by cluster, then name.
 *
 * @param cluster null for all clusters
 * @param states states to list, or empty for every state. Retired nodes are never listed
 * @param models names of GPU models, null for any
 * @param after last node of the previous page, null for the first page
 * @param most maximum number of nodes, at least 1
 */
public record NodePage(
    @Nullable ClusterId cluster,
    Set<NodeState> states,
    @Nullable Set<String> models,
    @Nullable Place after,
    int most) {
  public NodePage {
    states = Collections.unmodifiableSortedSet(new TreeSet<>(states));
    models = models == null ? null : Collections.unmodifiableSortedSet(new TreeSet<>(models));
  }

  /** Position of a node in the list. The node itself may have been removed since. */
  public record Place(ClusterId cluster, String name) {}
}
