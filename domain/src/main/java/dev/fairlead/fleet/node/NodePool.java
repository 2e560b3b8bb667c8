package dev.fairlead.fleet.node;

import dev.fairlead.people.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * The pool that a node belongs to.
 *
 * @param tenant the only one whose jobs the node takes, null for all
 * @param spares how many of its nodes are kept for gangs that lose one
 * @param windows when its nodes take work
 */
public record NodePool(String name, @Nullable TenantId tenant, Spares spares, PoolWindows windows) {
  /** One that always takes work. */
  public NodePool(String name, @Nullable TenantId tenant, Spares spares) {
    this(name, tenant, spares, PoolWindows.NONE);
  }

  /** Whether jobs of the tenant may run there. */
  public boolean serves(TenantId other) {
    return tenant == null || tenant.equals(other);
  }
}
