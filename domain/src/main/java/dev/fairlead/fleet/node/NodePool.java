package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.people.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * The pool of a node.
 *
 * @param tenant the only tenant that may use the node, null for all
 * @param spares number of its nodes that are reserved for gangs that lose one
 * @param windows times when its nodes accept work
 */
public record NodePool(String name, @Nullable TenantId tenant, Spares spares, PoolWindows windows) {
  /** Returns whether jobs of the tenant may run in the pool. */
  public boolean serves(TenantId other) {
    return tenant == null || tenant.equals(other);
  }
}
