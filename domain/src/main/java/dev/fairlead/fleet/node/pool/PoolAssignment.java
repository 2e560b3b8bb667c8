package dev.fairlead.fleet.node.pool;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Assigns a node to the first in {@link Pool#PRECEDENCE} of the open pools that select it. A node
 * stays in a pool that has closed until another one opens. Windows do not reassign a node with
 * allocations: it stays in its pool, or in no pool with windows, so that no pool stops work that
 * another pool admitted.
 */
public final class PoolAssignment {
  private final List<Pool> pools;
  private final Set<PoolId> open = new TreeSet<>();

  /**
   * @param at time that decides which windows are open
   */
  public PoolAssignment(Collection<Pool> pools, Instant at) {
    this.pools = pools.stream().sorted(Pool.PRECEDENCE).toList();
    pools.stream().filter(pool -> pool.windows().open(at)).forEach(pool -> open.add(pool.id()));
  }

  /**
   * Returns the pool of the node, null if none selects it.
   *
   * @param cluster name of the node's cluster
   */
  public @Nullable NodePool of(String cluster, Node node) {
    NodePool now = node.pool();
    Pool own = null;
    Pool first = null;
    Pool opened = null;
    Pool always = null;
    for (Pool pool : pools) {
      if (pool.selector().selects(cluster, node)) {
        first = first == null ? pool : first;
        opened = opened == null && open.contains(pool.id()) ? pool : opened;
        always = always == null && pool.windows().always() ? pool : always;
        own = now != null && pool.name().equals(now.name()) ? pool : own;
      }
    }
    Pool next = opened != null ? opened : own != null ? own : first;
    boolean busy = node.allocated().pods() > 0;
    Pool taken = busy && byWindows(own, next) ? (own != null ? own : always) : next;
    return taken == null ? null : taken.nodePool();
  }

  private boolean byWindows(@Nullable Pool own, @Nullable Pool next) {
    return next != null && !next.windows().always() || own != null && !open.contains(own.id());
  }
}
