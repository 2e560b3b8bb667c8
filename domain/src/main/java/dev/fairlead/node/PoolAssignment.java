package dev.fairlead.node;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which pool a node belongs to: of those that select it the first in {@link Pool#PRECEDENCE}. */
public final class PoolAssignment {
  private final List<Pool> pools;

  public PoolAssignment(Collection<Pool> pools) {
    this.pools = pools.stream().sorted(Pool.PRECEDENCE).toList();
  }

  /**
   * The pool of the node, null when none selects it.
   *
   * @param cluster name of the node's cluster
   */
  public @Nullable NodePool of(String cluster, Node node) {
    for (Pool pool : pools) {
      if (pool.selector().selects(cluster, node)) {
        return pool.mark();
      }
    }
    return null;
  }
}
