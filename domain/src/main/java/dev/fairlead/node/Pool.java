package dev.fairlead.node;

import dev.fairlead.tenant.TenantId;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes. A node belongs to one pool at most: of those that select it to the first in
 * {@link #PRECEDENCE}.
 *
 * @param tenant its owner, whose jobs alone its nodes take; null for a shared one
 * @param description for people, empty for none
 * @param spares how many of its nodes are kept for gangs that lose one
 */
public record Pool(
    PoolId id,
    String name,
    @Nullable TenantId tenant,
    PoolSelector selector,
    String description,
    Spares spares,
    long version) {
  /** Pools with an owner before shared ones, then the older by its id. */
  public static final Comparator<Pool> PRECEDENCE =
      Comparator.comparing((Pool pool) -> pool.tenant() == null).thenComparing(Pool::id);

  /** What its nodes are marked with. */
  public NodePool mark() {
    return new NodePool(name, tenant, spares);
  }

  /** The same with another owner, selector, description and spares, in its next version. */
  public Pool with(@Nullable TenantId owner, PoolSelector nodes, String text, Spares kept) {
    return new Pool(id, name, owner, nodes, text, kept, version + 1);
  }
}
