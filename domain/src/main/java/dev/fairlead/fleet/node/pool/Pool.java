package dev.fairlead.fleet.node.pool;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes. A node belongs to one pool at most: to the first in {@link #PRECEDENCE} of
 * the pools that select it.
 *
 * @param tenant its owner, the only tenant that may use its nodes, null for a shared pool
 * @param description human-readable text, empty if none
 * @param spares number of its nodes that are reserved for gangs that lose one
 * @param windows times when its nodes accept work
 */
@RecordBuilder
public record Pool(
    PoolId id,
    String name,
    @Nullable TenantId tenant,
    PoolSelector selector,
    String description,
    Spares spares,
    PoolWindows windows,
    long version) {
  /** Orders pools with an owner before shared ones, then the older pool by its id. */
  public static final Comparator<Pool> PRECEDENCE =
      Comparator.comparing((Pool pool) -> pool.tenant() == null).thenComparing(Pool::id);

  /** Returns the pool as stored with its nodes. */
  public NodePool nodePool() {
    return new NodePool(name, tenant, spares, windows);
  }

  /** Returns the next version with another owner, selector, description, spares and windows. */
  public Pool with(
      @Nullable TenantId owner, PoolSelector nodes, String text, Spares kept, PoolWindows open) {
    return PoolBuilder.builder(this)
        .tenant(owner)
        .selector(nodes)
        .description(text)
        .spares(kept)
        .windows(open)
        .version(version + 1)
        .build();
  }
}
