package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The audit log. Insert-only. */
public interface AuditLog {
  /** Writes the entries, all of one tenant, in the open transaction. */
  void append(List<AuditRecord> entries);

  /** Returns the tenant's entries before the position, newest first. */
  List<AuditEntry> newest(TenantId tenant, AuditFilter filter, AuditPosition before, int limit);

  /**
   * Returns the changes of the configuration by the tenant's callers, newest first.
   *
   * @param kinds to include
   * @param name null for all
   * @param before only versions below this one
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
