package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Insert-only. */
public interface AuditLog {
  /** Writes the entries in the open transaction; all of one tenant. */
  void append(List<AuditRecord> entries);

  /** Those of the tenant that stand before the position, the newest first. */
  List<AuditEntry> newest(TenantId tenant, AuditFilter filter, AuditPosition before, int limit);

  /**
   * Changes of the configuration that the tenant's callers made, the newest first.
   *
   * @param kinds the others are left out
   * @param name null for all
   * @param before only those below this version
   */
  List<ConfigVersion> versions(
      TenantId tenant, Set<ConfigKind> kinds, @Nullable String name, long before, int limit);

  default void append(AuditRecord entry) {
    append(List.of(entry));
  }

  /**
   * Writes the entry of a change that concerns other tenants: once for the actor's tenant, and once
   * for each of these.
   */
  default void appendFor(Collection<TenantId> tenants, AuditRecord entry) {
    append(entry);
    for (TenantId tenant : new TreeSet<>(tenants)) {
      if (!tenant.equals(entry.actor().tenant())) {
        append(entry.in(tenant));
      }
    }
  }
}
