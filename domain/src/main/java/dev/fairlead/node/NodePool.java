package dev.fairlead.node;

import dev.fairlead.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * The pool that a node belongs to.
 *
 * @param tenant the only one whose jobs the node takes, null for all
 * @param spares how many of its nodes are kept for gangs that lose one
 */
public record NodePool(String name, @Nullable TenantId tenant, Spares spares) {
  /** Whether jobs of the tenant may run there. */
  public boolean serves(TenantId other) {
    return tenant == null || tenant.equals(other);
  }
}
