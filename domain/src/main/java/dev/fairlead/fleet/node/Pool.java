package dev.fairlead.fleet.node;

import dev.fairlead.people.tenant.TenantId;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A named set of nodes. A node belongs to one pool at most: of those that select it to the first in
 * {@link #PRECEDENCE}.
 *
 * @param tenant its owner, whose jobs alone its nodes take; null for a shared one
 * @param description for people, empty for none
 * @param spares how many of its nodes are kept for gangs that lose one
 * @param windows when its nodes take work
 */
public record Pool(
    PoolId id,
    String name,
    @Nullable TenantId tenant,
    PoolSelector selector,
    String description,
    Spares spares,
    PoolWindows windows,
    long version) {
  /** Pools with an owner before shared ones, then the older by its id. */
  public static final Comparator<Pool> PRECEDENCE =
      Comparator.comparing((Pool pool) -> pool.tenant() == null).thenComparing(Pool::id);

  /** One that is always open. */
  public Pool(
      PoolId id,
      String name,
      @Nullable TenantId tenant,
      PoolSelector selector,
      String description,
      Spares spares,
      long version) {
    this(id, name, tenant, selector, description, spares, PoolWindows.NONE, version);
  }

  /** What its nodes are marked with. */
  public NodePool mark() {
    return new NodePool(name, tenant, spares, windows);
  }

  /**
   * The same with another owner, selector, description, spares and windows, in its next version.
   */
  public Pool with(
      @Nullable TenantId owner, PoolSelector nodes, String text, Spares kept, PoolWindows open) {
    return new Pool(id, name, owner, nodes, text, kept, open, version + 1);
  }
}
