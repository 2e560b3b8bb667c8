package dev.fairlead.cluster;

import dev.fairlead.tenant.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * The pool that a node belongs to.
 *
 * @param tenant the only one whose jobs the node takes, null for all
 */
public record NodePool(String name, @Nullable TenantId tenant) {
  /** Whether jobs of the tenant may run there. */
  public boolean serves(TenantId other) {
    return tenant == null || tenant.equals(other);
  }
}
